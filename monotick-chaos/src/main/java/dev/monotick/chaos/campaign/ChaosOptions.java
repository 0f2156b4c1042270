package dev.monotick.chaos.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What {@code scripts/chaos} was asked for.
 *
 * @param settings the run
 * @param folder where histories go, empty for a new folder among those for temporary files
 * @param report where to write the report, empty for nowhere
 * @param help whether only the usage is wanted
 */
record ChaosOptions(
    ChaosSettings settings, Optional<Path> folder, Optional<Path> report, boolean help) {

  static final String USAGE =
      """
      usage: scripts/chaos [options]

      Runs replicas as processes of their own on a PostgreSQL of its own, with tasks of every mode and effect and a queue
      of jobs, does bad things to all of them for as long as asked, lets them recover, and checks from what was written
      down that no promise was broken. Ends with a line for scripts, and with code 1 if anything is wrong, or if too little
      happened to prove anything:
        ticks=… jobs=… faults=… takeovers=… refused=… duplicates=0 lost=0 …

        --minutes N      for how long, decimals allowed (5)
        --seed N         repeats the plan of another run, though not its exact timing (a new one)
        --backend NAME   advisory, row or portable (advisory)
        --replicas N     how many at a time, 2 to 9 (3)
        --standby KIND   sync or async: the database has such a standby, and fails over to it in the middle, once (none)
        --control        with ledger and fence switched off: ends with 0 only if that shows duplicates
        --folder DIR     where the histories go; must not exist (a new one among temporary files)
        --report FILE    also write a report, with a picture of the run, run.svg, beside it
        -h, --help       show this text
      """;

  private static final Set<String> NOT_YET = Set.of("redis", "kubernetes");

  /** Thrown with a message for whoever typed it. */
  static final class UsageException extends Exception {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  /**
   * Reads arguments.
   *
   * @param newSeed the seed if none is given
   */
  static ChaosOptions parse(long newSeed, String... arguments) throws UsageException {
    Deque<String> left = new ArrayDeque<>(List.of(arguments));
    Duration lasting = Duration.ofMinutes(5);
    long seed = newSeed;
    Backend backend = Backend.ADVISORY;
    int replicas = 3;
    boolean control = false;
    Replication replication = Replication.NONE;
    boolean help = false;
    Path folder = null;
    Path report = null;
    while (!left.isEmpty()) {
      String option = left.remove();
      switch (option) {
        case "--minutes" -> lasting = minutes(value(option, left));
        case "--seed" -> seed = number(option, left, 0, Integer.MAX_VALUE);
        case "--backend" -> backend = backend(value(option, left));
        case "--replicas" -> replicas = (int) number(option, left, 2, 9);
        case "--standby" -> replication = replication(value(option, left));
        case "--control" -> control = true;
        case "--folder" -> folder = Path.of(value(option, left));
        case "--report" -> report = Path.of(value(option, left));
        case "-h", "--help" -> help = true;
        default ->
            throw new UsageException(
                "unknown option \"" + option + "\"; scripts/chaos --help shows all there are");
      }
    }
    return new ChaosOptions(
        new ChaosSettings(lasting, seed, backend, replicas, control, replication),
        Optional.ofNullable(folder),
        Optional.ofNullable(report),
        help);
  }

  private static String value(String option, Deque<String> left) throws UsageException {
    if (left.isEmpty()) {
      throw new UsageException(option + " needs a value");
    }
    return left.remove();
  }

  private static Duration minutes(String text) throws UsageException {
    if (!text.matches("[0-9]{1,4}([.][0-9]{1,2})?") || Double.parseDouble(text) < 0.5) {
      throw new UsageException(
          "--minutes must be a number from 0.5 to 9999, but was \"" + text + "\"");
    }
    return Duration.ofSeconds((long) (Double.parseDouble(text) * 60));
  }

  private static Backend backend(String text) throws UsageException {
    if (NOT_YET.contains(text)) {
      throw new UsageException(
          "--backend "
              + text
              + " cannot be tested: there is no such backend yet; there are "
              + Backend.all());
    }
    return Backend.of(text)
        .orElseThrow(
            () ->
                new UsageException(
                    "--backend must be one of " + Backend.all() + ", but was \"" + text + "\""));
  }

  private static Replication replication(String text) throws UsageException {
    return Replication.of(text)
        .orElseThrow(
            () -> new UsageException("--standby must be sync or async, but was \"" + text + "\""));
  }

  private static long number(String option, Deque<String> left, long least, long most)
      throws UsageException {
    String text = value(option, left);
    if (!text.matches("[0-9]{1,10}")
        || Long.parseLong(text) < least
        || Long.parseLong(text) > most) {
      throw new UsageException(
          option
              + " must be a number from "
              + least
              + " to "
              + most
              + ", but was \""
              + text
              + "\"");
    }
    return Long.parseLong(text);
  }
}
