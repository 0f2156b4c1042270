package dev.monotick.bench.jobs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a worker came back: when it had run its first jobs, and when it was nearly as fast as before.
 *
 * @param wanted how many dead rows there were to be at least
 * @param dead dead rows of the table of jobs that are ready, as the server counts them
 * @param firstMillis until the first 200 jobs were run; -1 if they were not
 * @param fastMillis until 85 % of the warm rate was reached within a second; -1 if it was not
 * @param warm the warm rate, jobs per second
 */
record WorkerRestart(long wanted, long dead, long firstMillis, long fastMillis, double warm) {

  /** How many jobs are the first ones. */
  static final int FIRST = 200;

  /** The share of the warm rate that is to be reached. */
  static final double SHARE = 0.85;

  static final long FIRST_AIM_MILLIS = 2_000;
  static final long FAST_AIM_MILLIS = 10_000;

  private static final long WINDOW_MILLIS = 1_000;

  /**
   * Reads it off what was run.
   *
   * @param start the millisecond that time counts from
   * @param before how many jobs had been run by then
   */
  static WorkerRestart of(
      RunCourse course, long start, long before, double warm, long wanted, long dead) {
    long first = course.executed() < before + FIRST ? -1 : course.when(before + FIRST) - start;
    return new WorkerRestart(wanted, dead, first, fastMillis(course, start, warm * SHARE), warm);
  }

  /** The first moment at the end of a second in which so many jobs were run. */
  private static long fastMillis(RunCourse course, long start, double rate) {
    Deque<Map.Entry<Long, Long>> window = new ArrayDeque<>();
    long inWindow = 0;
    for (Map.Entry<Long, Long> each : course.perMilli().tailMap(start, true).entrySet()) {
      window.addLast(each);
      inWindow += each.getValue();
      while (window.getFirst().getKey() <= each.getKey() - WINDOW_MILLIS) {
        inWindow -= window.removeFirst().getValue();
      }
      if (inWindow * 1000.0 / WINDOW_MILLIS >= rate) {
        return each.getKey() - start;
      }
    }
    return -1;
  }

  /** Returns whether there were enough dead rows; if not, the round says nothing. */
  boolean isSound() {
    return dead >= wanted;
  }

  boolean isInTime() {
    return isSound()
        && firstMillis >= 0
        && firstMillis <= FIRST_AIM_MILLIS
        && fastMillis >= 0
        && fastMillis <= FAST_AIM_MILLIS;
  }

  /** Adds rows and lines of one state to a report. */
  static void print(
      BenchmarkReport report, String state, String title, List<WorkerRestart> comebacks) {
    if (comebacks.isEmpty()) {
      return;
    }
    Map<Long, Integer> rounds = new HashMap<>();
    for (WorkerRestart each : comebacks) {
      report.row(
          List.of(
              title
                  + ", at least "
                  + FigureFormat.format((double) each.wanted())
                  + " dead rows, round "
                  + rounds.merge(each.wanted(), 1, Integer::sum),
              FigureFormat.format((double) each.dead()),
              FigureFormat.format(each.warm()),
              millis(each.firstMillis()),
              millis(each.fastMillis()),
              each.verdict()));
    }
    long met = comebacks.stream().filter(WorkerRestart::isInTime).count();
    report.line(state + " met " + met + " of " + comebacks.size());
  }

  /** Returns how the round counts, in words. */
  String verdict() {
    if (!isSound()) {
      return "**void: fewer than " + FigureFormat.format((double) wanted) + " dead rows**";
    }
    return isInTime() ? "met" : "**missed**";
  }

  static void head(BenchmarkReport report) {
    report.head(
        List.of(
            "state",
            "n_dead_tup of job_ready",
            "warm jobs/s",
            "first " + FIRST + " jobs, aim " + FIRST_AIM_MILLIS + " ms",
            "85 % of the warm rate, aim " + FAST_AIM_MILLIS + " ms",
            "aims"));
  }

  static String millis(long millis) {
    return millis < 0 ? "not reached" : FigureFormat.format((double) millis) + " ms";
  }
}
