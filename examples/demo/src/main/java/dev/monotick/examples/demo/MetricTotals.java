package dev.monotick.examples.demo;

import dev.monotick.spi.metric.MetricSink;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The engines' own figures, summed over all replicas and their restarts. Thread-safe. */
final class MetricTotals implements MetricSink {

  private static final Figures NOTHING = new Figures(0, 0, 0, "-");

  private final Map<String, Figures> byTask = new HashMap<>();

  /**
   * What the engines say of one task.
   *
   * @param runs how many bodies were started
   * @param notRun how many ticks were recorded as skipped or missed
   * @param refused how many claims were refused because another replica was first
   * @param lastOutcome the newest outcome, as the table shows it
   */
  record Figures(long runs, long notRun, long refused, String lastOutcome) {}

  synchronized Figures of(String task) {
    return byTask.getOrDefault(task, NOTHING);
  }

  @Override
  public synchronized void tickStarted(String task, Duration lateness) {
    Figures now = of(task);
    byTask.put(task, new Figures(now.runs + 1, now.notRun, now.refused, now.lastOutcome));
  }

  @Override
  public synchronized void tickEnded(String task, Outcome outcome, Duration took, Instant at) {
    if (outcome == Outcome.MISSED) {
      ticksNotRun(task, outcome, null, 1); // claimed, but too late to be started
    } else {
      Figures now = of(task);
      byTask.put(task, new Figures(now.runs, now.notRun, now.refused, outcome.name()));
    }
  }

  @Override
  public synchronized void ticksNotRun(
      String task, Outcome outcome, @Nullable SkipReason reason, long count) {
    Figures now = of(task);
    // A run whose replica is gone is reported here as well, but it was started.
    long more = outcome == Outcome.UNKNOWN ? 0 : count;
    String text =
        reason == null ? outcome.name() : outcome + " " + reason.name().toLowerCase(Locale.ROOT);
    byTask.put(task, new Figures(now.runs, now.notRun + more, now.refused, text));
  }

  @Override
  public synchronized void duplicateRefused(String task) {
    Figures now = of(task);
    byTask.put(task, new Figures(now.runs, now.notRun, now.refused + 1, now.lastOutcome));
  }
}
