package dev.monotick.proof;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tells the states that TLC printed as steps in words. TLC names the action but not the replica, so
 * that is found by what changed.
 */
final class Counterexample {

  private static final Pattern STATE = Pattern.compile("(?m)^State \\d+: <(\\w+)[^>]*>\\n");
  private static final Pattern VARIABLE =
      Pattern.compile("(?ms)^/\\\\ (\\w+) = (.*?)(?=^/\\\\ |\\z)");
  private static final Pattern OF_REPLICA = Pattern.compile("(r\\d+) :> (\\[.*?]|[^\\s@)]+)");
  private static final Pattern BY = Pattern.compile("by \\|-> (\\w+)");

  /** What concerns no single replica, though it may change what several see. */
  private static final Set<String> IMPERSONAL =
      Set.of("TimePasses", "LockIsFreed", "StoreReleases", "StoreRenewsUnheard");

  private Counterexample() {}

  /** Returns the steps that led to the last state. */
  static List<String> steps(String output) {
    List<String> actions = new ArrayList<>();
    List<Map<String, String>> states = new ArrayList<>();
    Matcher state = STATE.matcher(output);
    while (state.find()) {
      int end = output.indexOf("\n\n", state.end());
      actions.add(state.group(1));
      states.add(variables(output.substring(state.end(), end < 0 ? output.length() : end)));
    }
    List<String> steps = new ArrayList<>();
    for (int i = 1; i < actions.size(); i++) {
      steps.add(words(actions.get(i), states.get(i - 1), states.get(i)));
    }
    return steps;
  }

  private static Map<String, String> variables(String text) {
    Map<String, String> variables = new LinkedHashMap<>();
    Matcher variable = VARIABLE.matcher(text);
    while (variable.find()) {
      variables.put(variable.group(1), variable.group(2));
    }
    return variables;
  }

  private static String words(
      String action, Map<String, String> before, Map<String, String> after) {
    String verb = action.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    if (IMPERSONAL.contains(action)) {
      return action.startsWith("Store") ? "the " + verb : verb;
    }
    if (action.equals("StoreMints")) {
      return "the " + verb + " for " + first(BY, text(after, "row"));
    }
    String actor = action.equals("Resigns") ? resigning(before, after) : actor(before, after);
    if (action.startsWith("Store")) {
      return "the " + verb + (actor.isEmpty() ? " unheard" : " for " + actor);
    }
    return actor + " " + verb;
  }

  private static String actor(Map<String, String> before, Map<String, String> after) {
    String holder = first(BY, text(before, "row"));
    if (first(BY, text(after, "row")).equals("Nobody") && !holder.equals("Nobody")) {
      return holder; // it crashed
    }
    if (!text(after, "lock").equals(text(before, "lock")) && text(after, "lock").startsWith("r")) {
      return text(after, "lock").strip();
    }
    return Stream.of("term", "renewal", "work", "attempt", "watch")
        .flatMap(name -> changed(text(before, name), text(after, name)).stream())
        .findFirst()
        .orElse("");
  }

  /** Whose term it is that a release was sent of; it may go on to believe in it. */
  private static String resigning(Map<String, String> before, Map<String, String> after) {
    Map<String, String> terms = perReplica(text(before, "term"));
    String known = text(before, "releases");
    return terms.entrySet().stream()
        .filter(term -> text(after, "releases").contains(term.getValue()))
        .filter(term -> !known.contains(term.getValue()))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("");
  }

  private static List<String> changed(String before, String after) {
    Map<String, String> old = perReplica(before);
    return perReplica(after).entrySet().stream()
        .filter(entry -> !Objects.equals(old.get(entry.getKey()), entry.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static Map<String, String> perReplica(String value) {
    Map<String, String> values = new LinkedHashMap<>();
    Matcher each = OF_REPLICA.matcher(value);
    while (each.find()) {
      values.put(each.group(1), each.group(2));
    }
    return values;
  }

  private static String text(Map<String, String> state, String variable) {
    return state.getOrDefault(variable, "");
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }
}
