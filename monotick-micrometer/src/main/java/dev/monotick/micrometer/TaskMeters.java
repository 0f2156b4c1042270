package dev.monotick.micrometer;

import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The meters of one task, all made at once. */
final class TaskMeters {

  private static final String NO_REASON = "none";

  private final Map<Outcome, Counter> runs = new EnumMap<>(Outcome.class);
  private final Map<SkipReason, Counter> skipped = new EnumMap<>(SkipReason.class);
  private final Counter missed;
  private final Timer duration;
  private final Timer lateness;
  private final Counter leftToLeader;
  private final Counter duplicatesRefused;
  private final Counter refusedByFence;
  // Written on the engine's loop, read by whoever scrapes.
  private volatile double lastSuccess = Double.NaN;

  TaskMeters(Meters meters, String task) {
    Tags tags = Tags.of("task", task);
    for (Outcome outcome : Outcome.values()) {
      if (isOfRun(outcome)) {
        runs.put(
            outcome,
            meters.counter(
                "monotick.task.runs", "runs that ended", tags.and("outcome", outcome.name())));
      }
    }
    for (SkipReason reason : SkipReason.values()) {
      skipped.put(reason, notRun(meters, tags, Outcome.SKIPPED, reason.name()));
    }
    missed = notRun(meters, tags, Outcome.MISSED, NO_REASON);
    duration = meters.timer("monotick.task.duration", "how long bodies ran", tags);
    lateness =
        meters.timer("monotick.task.lateness", "from when a tick was due to its start", tags);
    leftToLeader =
        meters.counter(
            "monotick.task.left.to.leader", "ticks that were another replica's as leader", tags);
    duplicatesRefused =
        meters.counter(
            "monotick.task.duplicates.refused", "claims that another replica was first with", tags);
    refusedByFence =
        meters.counter(
            "monotick.task.refused.by.fence", "claims and reports of a term that was over", tags);
    meters.gauge(
        "monotick.task.last.success",
        "when a run last succeeded here, in seconds since 1970",
        "seconds",
        tags,
        () -> lastSuccess);
  }

  private static Counter notRun(Meters meters, Tags tags, Outcome outcome, String reason) {
    return meters.counter(
        "monotick.task.not.run",
        "ticks accounted for without a run",
        tags.and("outcome", outcome.name(), "reason", reason));
  }

  private static boolean isOfRun(Outcome outcome) {
    return outcome != Outcome.SKIPPED && outcome != Outcome.MISSED;
  }

  void started(Duration late) {
    lateness.record(late);
  }

  void ended(Outcome outcome, Duration took, Instant at) {
    if (!isOfRun(outcome)) {
      notRun(outcome, null, 1); // claimed, but too late to be started
      return;
    }
    add(runs.get(outcome), 1);
    duration.record(took);
    if (outcome == Outcome.SUCCEEDED) {
      lastSuccess = at.toEpochMilli() / 1000.0;
    }
  }

  void notRun(Outcome outcome, @Nullable SkipReason reason, long count) {
    if (reason != null) {
      add(skipped.get(reason), count);
    } else if (isOfRun(outcome)) {
      add(runs.get(outcome), count); // UNKNOWN: it was claimed, and nobody can say how far it came
    } else {
      missed.increment((double) count);
    }
  }

  private static void add(@Nullable Counter counter, long count) {
    if (counter != null) { // each constant has one
      counter.increment((double) count);
    }
  }

  void leftToLeader() {
    leftToLeader.increment();
  }

  void duplicateRefused() {
    duplicatesRefused.increment();
  }

  void refusedByFence() {
    refusedByFence.increment();
  }
}
