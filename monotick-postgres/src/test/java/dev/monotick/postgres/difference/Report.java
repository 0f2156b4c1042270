package dev.monotick.postgres.difference;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.monotick.job.JobId;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run, as a replica reports it, whether or not it ever had the run.
 *
 * @param delay of those that are tried again
 */
record Report(String label, int run, int attempt, How how, Duration delay, boolean began) {

  enum How {
    SUCCEEDED,
    RETRIED,
    SNOOZED,
    DIED,
    DISCARDED,
    LOST,
    HANDED_BACK
  }

  boolean isOf(Run other) {
    return other.label().equals(label) && other.number() == run;
  }

  /** Returns the report for a store, null if the job is not there. */
  @Nullable Completion finish(Side side) {
    JobId id = side.id(label);
    Draft draft = side.draft(label).orElse(null);
    if (id == null || draft == null || side.hasDropped(label)) {
      return null;
    }
    Instant now = side.now();
    ClaimedJob job =
        new ClaimedJob(
            side.replica(0), // the turn says who reports; stores do not look at this
            new JobRun(id, run, side.attempt(label, run, attempt)),
            Side.LANES.get(draft.lane()),
            1,
            label.getBytes(UTF_8),
            draft.rules(now),
            draft.limitKey(),
            now,
            Map.of(),
            0);
    return new Completion(job, end(), began ? now : null, Duration.ofMillis(began ? 7 : 0));
  }

  private Completion.End end() {
    return switch (how) {
      case SUCCEEDED -> new Completion.Succeeded(began ? ("of " + label).getBytes(UTF_8) : null);
      case RETRIED -> new Completion.Retried("failed", delay);
      case SNOOZED -> new Completion.Snoozed(delay);
      case DIED -> new Completion.Died("died");
      case DISCARDED -> new Completion.Discarded("not needed");
      case LOST -> new Completion.Lost("stopped");
      case HANDED_BACK -> new Completion.HandedBack();
    };
  }

  @Override
  public String toString() {
    return label + " run " + run + " attempt " + attempt + " " + how + words();
  }

  private String words() {
    return Optional.of(delay).filter(value -> !value.isZero()).map(value -> " " + value).orElse("")
        + (began ? "" : " not begun");
  }
}
