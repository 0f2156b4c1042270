package dev.monotick.chaos.failover;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * What {@code scripts/failover} was asked for.
 *
 * @param trials how many trials of each fault
 * @param faults which faults
 * @param leadership how leaders are elected: {@code advisory} or {@code row}
 * @param parallel how many clusters at a time, 0 for what suits the fault
 * @param markdown where to write the table, empty for nowhere
 * @param help whether only the usage is wanted
 */
record FailoverOptions(
    int trials,
    List<LeaderFault> faults,
    String leadership,
    int parallel,
    Optional<Path> markdown,
    boolean help) {

  static final String USAGE =
      """
      usage: scripts/failover [options]

      Measures how long it takes until another replica leads: starts a PostgreSQL of its own and three replicas with
      default timings, does something to the leader, and waits for the next one; again and again. Ends with a line
      for each fault, in seconds from the fault to the new leader:
        crash p50=0.512 p99=1.180 n=50

        --trials N         trials of each fault (50)
        --fault NAME       crash, graceful, pause or partition; may be given several times (all four)
        --leadership NAME  advisory, the default, or row, as behind a pooler
        --parallel N       independent clusters at a time (1 for crash and graceful, 5 for the others, which mostly wait)
        --markdown FILE    also write the results as a table for docs/failover.md
        -h, --help         show this text
      """;

  /** Thrown with a message for whoever typed it. */
  static final class UsageException extends Exception {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  static FailoverOptions parse(String... arguments) throws UsageException {
    Deque<String> left = new ArrayDeque<>(List.of(arguments));
    int trials = 50;
    int parallel = 0;
    List<LeaderFault> faults = new ArrayList<>();
    String leadership = "advisory";
    Path markdown = null;
    boolean help = false;
    while (!left.isEmpty()) {
      String option = left.remove();
      switch (option) {
        case "--trials" -> trials = number(option, left, 10_000);
        case "--parallel" -> parallel = number(option, left, 20);
        case "--fault" -> {
          LeaderFault fault = fault(value(option, left));
          if (!faults.contains(fault)) {
            faults.add(fault);
          }
        }
        case "--leadership" -> leadership = leadership(value(option, left));
        case "--markdown" -> markdown = Path.of(value(option, left));
        case "-h", "--help" -> help = true;
        default ->
            throw new UsageException(
                "unknown option \"" + option + "\"; scripts/failover --help shows all there are");
      }
    }
    return new FailoverOptions(
        trials,
        faults.isEmpty() ? List.of(LeaderFault.values()) : List.copyOf(faults),
        leadership,
        parallel,
        Optional.ofNullable(markdown),
        help);
  }

  private static String value(String option, Deque<String> left) throws UsageException {
    if (left.isEmpty()) {
      throw new UsageException(option + " needs a value");
    }
    return left.remove();
  }

  private static int number(String option, Deque<String> left, int most) throws UsageException {
    String text = value(option, left);
    if (!text.matches("[0-9]{1,6}")
        || Integer.parseInt(text) < 1
        || Integer.parseInt(text) > most) {
      throw new UsageException(
          option + " must be a number from 1 to " + most + ", but was \"" + text + "\"");
    }
    return Integer.parseInt(text);
  }

  private static LeaderFault fault(String text) throws UsageException {
    return LeaderFault.of(text)
        .orElseThrow(
            () ->
                new UsageException(
                    "--fault must be one of " + LeaderFault.all() + ", but was \"" + text + "\""));
  }

  private static String leadership(String text) throws UsageException {
    if (!text.equals("advisory") && !text.equals("row")) {
      throw new UsageException("--leadership must be advisory or row, but was \"" + text + "\"");
    }
    return text;
  }
}
