package dev.monotick.chaos.storm;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * What {@code scripts/jobs-storm} was asked for.
 *
 * @param settings the storm
 * @param help whether only the usage is wanted
 */
record StormOptions(StormSettings settings, boolean help) {

  static final String USAGE =
      """
      usage: scripts/jobs-storm [options]

      Runs jobs on several worker processes and a PostgreSQL of its own, while every few seconds workers are killed or
      stopped in their tracks, or all packets between one of them and the server are dropped, and then checks by SQL that
      no job was lost, completed twice, tried too often, begun after its end, or run beside others that exclude it. Ends
      with a line for scripts, and with code 1 if anything is wrong, or if too little happened to prove anything:
        jobs=200000 runs=… kills=… pauses=… losses=… rejoined=… handed=… refused=… lost=0 completed_twice=0 …

        --jobs N          how many jobs (200000)
        --workers N       how many worker processes at a time (3)
        --seed N          repeats the jobs and faults of another storm, though not its exact timing (a new one)
        --no-packet-loss  drop no packets: that needs root, network namespaces and the program ip
        -h, --help        show this text
      """;

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
  static StormOptions parse(long newSeed, String... arguments) throws UsageException {
    Deque<String> left = new ArrayDeque<>(List.of(arguments));
    long jobs = 200_000;
    long workers = 3;
    long seed = newSeed;
    boolean packetLoss = true;
    boolean help = false;
    while (!left.isEmpty()) {
      String option = left.remove();
      switch (option) {
        case "--jobs" -> jobs = number(option, left, 100, 10_000_000);
        case "--workers" -> workers = number(option, left, 2, 20);
        case "--seed" -> seed = number(option, left, 0, Integer.MAX_VALUE);
        case "--no-packet-loss" -> packetLoss = false;
        case "-h", "--help" -> help = true;
        default ->
            throw new UsageException(
                "unknown option \"" + option + "\"; scripts/jobs-storm --help shows all there are");
      }
    }
    return new StormOptions(new StormSettings((int) jobs, (int) workers, seed, packetLoss), help);
  }

  private static long number(String option, Deque<String> left, long least, long most)
      throws UsageException {
    if (left.isEmpty()) {
      throw new UsageException(option + " needs a value");
    }
    String text = left.remove();
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
