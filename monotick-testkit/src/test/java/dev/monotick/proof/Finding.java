package dev.monotick.proof;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What TLC found.
 *
 * @param violated the invariant that does not hold, null if all do
 * @param states how many different states were explored until then
 * @param took how long it took, as TLC says it
 * @param steps the shortest way there, in words; empty if nothing is violated
 */
record Finding(@Nullable String violated, long states, String took, List<String> steps) {

  private static final Pattern VIOLATED = Pattern.compile("Error: Invariant (\\w+) is violated");
  private static final Pattern STATES = Pattern.compile("(\\d+) distinct states found, (\\d+) ");
  private static final Pattern TOOK = Pattern.compile("Finished in (.+?) at ");

  /** Reads what TLC wrote; anything but a whole exploration or a violation is an error. */
  static Finding of(String output) {
    Matcher violated = VIOLATED.matcher(output);
    boolean isViolated = violated.find();
    Matcher states = STATES.matcher(output);
    Matcher took = TOOK.matcher(output);
    boolean isWhole = output.contains("Model checking completed. No error has been found.");
    if (isViolated == isWhole || !states.find() || !took.find()) {
      throw new IllegalStateException("TLC did not come to an end:\n" + output);
    }
    if (isWhole && !states.group(2).equals("0")) {
      throw new IllegalStateException("TLC left states unexplored:\n" + output);
    }
    return new Finding(
        isViolated ? violated.group(1) : null,
        Long.parseLong(states.group(1)),
        took.group(1),
        isViolated ? Counterexample.steps(output) : List.of());
  }
}
