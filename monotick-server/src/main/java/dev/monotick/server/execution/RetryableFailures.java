package dev.monotick.server.execution;

import dev.monotick.server.problem.Problem;
import java.util.List;

/**
 * Which failures of a call another attempt may mend.
 *
 * @param words {@code CONNECT} if the call was never made, {@code BROKEN} if nobody can say whether
 *     it was heard, statuses such as {@code 429}, and {@code 5xx} for a hundred of them
 */
record RetryableFailures(List<String> words) {

  static final String CONNECT = "CONNECT";
  static final String BROKEN = "BROKEN";

  /** What is tried again if a call does not say. */
  static final List<String> USUAL = List.of(CONNECT, BROKEN, "408", "425", "429", "5xx");

  /** Refuses words that mean nothing. */
  static void check(String field, List<String> words) {
    for (String each : words) {
      if (!each.matches("CONNECT|BROKEN|[345]xx|[345][0-9][0-9]")) {
        throw Problem.invalid(
            field,
            field + " must have CONNECT, BROKEN, 5xx, or statuses such as 429, but had " + each);
      }
    }
  }

  boolean onStatus(int status) {
    return words.contains(String.valueOf(status)) || words.contains(status / 100 + "xx");
  }

  boolean on(String failure) {
    return words.contains(failure);
  }
}
