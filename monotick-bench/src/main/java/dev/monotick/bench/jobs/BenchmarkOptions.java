package dev.monotick.bench.jobs;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What was given on the command line of a benchmark as {@code --name value}. */
final class BenchmarkOptions {

  /** What a result may vary in and still be worth keeping: it says so itself. */
  private static final Set<String> OPEN = Set.of("peers", "states");

  private static final int LEAST_ROUNDS = 3;

  private final Map<String, String> values;
  private final Map<String, String> defaults;

  private BenchmarkOptions(Map<String, String> values, Map<String, String> defaults) {
    this.values = values;
    this.defaults = defaults;
  }

  /**
   * Reads options.
   *
   * @param defaults all options that there are, without dashes, with what they are if not given
   * @throws IllegalArgumentException if something else was given
   */
  static BenchmarkOptions parse(List<String> given, Map<String, String> defaults) {
    Map<String, String> values = new TreeMap<>(defaults);
    for (int i = 0; i < given.size(); i += 2) {
      String name = given.get(i).startsWith("--") ? given.get(i).substring(2) : "";
      if (!defaults.containsKey(name)) {
        throw new IllegalArgumentException(
            given.get(i)
                + " is no option; there are --"
                + String.join(", --", new TreeMap<>(defaults).keySet()));
      }
      if (i + 1 == given.size()) {
        throw new IllegalArgumentException("--" + name + " needs a value");
      }
      values.put(name, given.get(i + 1));
    }
    return new BenchmarkOptions(values, defaults);
  }

  /** Reads options; whoever gives wrong ones is told and sent off. */
  static BenchmarkOptions orExit(String[] given, Map<String, String> defaults) {
    try {
      BenchmarkOptions options = parse(List.of(given), defaults);
      options.contenders();
      return options;
    } catch (IllegalArgumentException e) {
      throw exit(e);
    }
  }

  private static IllegalArgumentException exit(IllegalArgumentException e) {
    System.err.println("bench: " + e.getMessage());
    System.exit(2);
    return e;
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("option " + name + " has no default");
    }
    return value;
  }

  /** Returns a number; whoever has given none in the range is told and sent off. */
  int number(String name, int least, int most) {
    try {
      return parseNumber(name, least, most);
    } catch (IllegalArgumentException e) {
      throw exit(e);
    }
  }

  /**
   * Returns numbers in ascending order, given with commas between them; one that is out of range
   * ends the process with a message.
   */
  List<Integer> numbers(String name, int least, int most) {
    try {
      return parseNumbers(name, least, most);
    } catch (IllegalArgumentException e) {
      throw exit(e);
    }
  }

  List<Integer> parseNumbers(String name, int least, int most) {
    return Arrays.stream(text(name).split(",", -1))
        .map(each -> parseNumber(name, each, least, most))
        .sorted()
        .toList();
  }

  int parseNumber(String name, int least, int most) {
    return parseNumber(name, text(name), least, most);
  }

  private static int parseNumber(String name, String text, int least, int most) {
    try {
      int value = Integer.parseInt(text.replace("_", ""));
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below, like a number out of range
    }
    throw new IllegalArgumentException(
        "--"
            + name
            + " must be a whole number from "
            + least
            + " to "
            + most
            + ", but was "
            + text);
  }

  /**
   * Says whether a run is one that counts: at least three rounds, and of nothing else less than by
   * default.
   */
  boolean isFull() {
    return defaults.entrySet().stream()
        .filter(each -> !OPEN.contains(each.getKey()))
        .allMatch(each -> isEnough(each.getKey(), each.getValue()));
  }

  private boolean isEnough(String name, String byDefault) {
    if (!byDefault.matches("[0-9]+")) {
      return text(name).equals(byDefault);
    }
    int least = name.equals("rounds") ? LEAST_ROUNDS : Integer.parseInt(byDefault);
    return parseNumbers(name, 0, Integer.MAX_VALUE).get(0) >= least;
  }

  /** Returns some of the words of the default, in its order; others are told and sent off. */
  List<String> words(String name) {
    try {
      return parseWords(name);
    } catch (IllegalArgumentException e) {
      throw exit(e);
    }
  }

  List<String> parseWords(String name) {
    List<String> known = Arrays.asList(defaults.getOrDefault(name, "").split(",", -1));
    List<String> given = Arrays.asList(text(name).split(",", -1));
    if (!known.containsAll(given)) {
      throw new IllegalArgumentException(
          "--" + name + " must be some of " + String.join(",", known) + ", but was " + text(name));
    }
    return known.stream().filter(given::contains).toList();
  }

  /** Sends off whoever asks for peers where there are none. */
  void alone(String benchmark) {
    try {
      requireAlone(benchmark);
    } catch (IllegalArgumentException e) {
      throw exit(e);
    }
  }

  void requireAlone(String benchmark) {
    if (contenders().size() > 1) {
      throw new IllegalArgumentException(
          "--peers must be none, but was "
              + text("peers")
              + ": "
              + benchmark
              + " compares Monotick with itself on empty tables; leave the option out, or measure"
              + " peers with scripts/bench drain");
    }
  }

  /** Returns how many worker processes there are to be, each number in turn. */
  List<Integer> processes() {
    return switch (text("processes")) {
      case "1" -> List.of(1);
      case "2" -> List.of(2);
      case "1,2" -> List.of(1, 2);
      default ->
          throw exit(
              new IllegalArgumentException(
                  "--processes must be 1, 2 or 1,2, but was " + text("processes")));
    };
  }

  /** Returns who takes part by the option {@code peers}; the first alone if there is none. */
  List<Contender> contenders() {
    return Contenders.chosen(values.getOrDefault("peers", "none"));
  }
}
