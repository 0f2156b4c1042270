package dev.monotick.chaos.failover;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The trials of one fault. Thread-safe. */
final class FailoverResults {

  private final LeaderFault fault;
  private final List<Trial> trials = new ArrayList<>(); // guarded by this

  /**
   * One trial, in nanoseconds from the fault.
   *
   * @param takeover until another replica leads
   * @param firstTick until the effect of the first tick under its term has taken place
   */
  record Trial(long takeover, long firstTick) {}

  FailoverResults(LeaderFault fault) {
    this.fault = fault;
  }

  /** Adds a trial, and returns how many there are. */
  synchronized int add(Trial trial) {
    trials.add(trial);
    return trials.size();
  }

  /** Returns the line that scripts read. */
  String line() {
    return String.format(
        Locale.ROOT, "%s p50=%.3f p99=%.3f n=%d", fault.text(), takeover(50), takeover(99), size());
  }

  /** Returns the row of a table. */
  String row() {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.1f |",
        fault.text(),
        size(),
        takeover(50),
        takeover(99),
        takeover(100),
        firstTick(50),
        firstTick(99),
        fault.aim.toMillis() / 1e3);
  }

  /** Returns the head of the table that {@link #row} belongs to. */
  static String head() {
    return "| fault | trials | takeover p50 | p99 | longest | first tick p50 | p99 | aim |\n"
        + "|---|---|---|---|---|---|---|---|";
  }

  private synchronized int size() {
    return trials.size();
  }

  private double takeover(int percent) {
    return percentile(percent, Trial::takeover);
  }

  private double firstTick(int percent) {
    return percentile(percent, Trial::firstTick);
  }

  /** The smallest value that so many of a hundred do not exceed: never one that was not seen. */
  private synchronized double percentile(int percent, ToLongFunction<Trial> value) {
    long[] sorted = trials.stream().mapToLong(value).sorted().toArray();
    int rank = (int) Math.ceil(percent / 100.0 * sorted.length);
    return sorted[Math.max(rank, 1) - 1] / 1e9;
  }
}
