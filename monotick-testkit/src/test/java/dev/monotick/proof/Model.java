package dev.monotick.proof;

import static java.util.stream.Collectors.joining;

import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One question about the model of lease, fence and ledger.
 *
 * @param size what is bounded
 * @param backend {@code row} or {@code lock}
 * @param buggy the rules that are broken
 * @param invariants what TLC looks for violations of
 */
record Model(Size size, String backend, List<String> buggy, List<String> invariants) {

  /** What the product must keep. */
  static final List<String> ALL = List.of("I1", "I2", "I3", "I4", "I6", "I13");

  /**
   * The bounds of the model. Time and the number of renewals have none.
   *
   * @param terms how many terms may begin
   * @param lease how many units of time a lease has; the margin is one of them
   * @param drift whether tickers may run at different speeds
   */
  record Size(int replicas, int ticks, int terms, int lease, boolean drift) {

    @Override
    public String toString() {
      return replicas
          + (replicas == 1 ? " replica, " : " replicas, ")
          + ticks
          + (ticks == 1 ? " tick, " : " ticks, ")
          + terms
          + " terms, lease "
          + lease
          + (drift ? ", drift" : "");
    }
  }

  /** Returns the model as TLC reads it. */
  String configuration() {
    return """
    SPECIFICATION Spec
    SYMMETRY Alike
    CONSTANTS
      Replica = {%s}
      Tick = {%s}
      MaxFence = %d
      D = %d
      M = 1
      Drift = %s
      Backend = "%s"
      Nobody = Nobody
      Buggy = {%s}
    INVARIANTS %s
    CHECK_DEADLOCK FALSE
    """
        .formatted(
            names("r", size.replicas),
            names("t", size.ticks),
            size.terms,
            size.lease,
            size.drift ? "TRUE" : "FALSE",
            backend,
            quoted(buggy),
            String.join(" ", invariants));
  }

  private static String names(String letter, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(n -> letter + n).collect(joining(", "));
  }

  private static String quoted(Collection<String> words) {
    return words.stream().map(word -> '"' + word + '"').collect(joining(", "));
  }
}
