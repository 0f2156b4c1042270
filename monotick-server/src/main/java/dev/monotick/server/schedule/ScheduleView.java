package dev.monotick.server.schedule;

import dev.monotick.server.schedule.spec.ScheduleSpec;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is.
 *
 * @param id its name for good
 * @param name what people call it
 * @param version what its ETag says
 * @param state what it does
 * @param spec as somebody wants it; missing if this server does not understand it
 * @param problem why this server does not understand it
 * @param description when it is due, in words
 * @param nextAt nominal time of its next tick; missing if there is none
 * @param nextTimes nominal times from then on
 * @param notBefore until when it is left alone after failures
 * @param pause who paused it, and why
 * @param counts how it is doing
 */
record ScheduleView(
    String id,
    String name,
    long version,
    State state,
    @Nullable ScheduleSpec spec,
    @Nullable String problem,
    @Nullable String description,
    @Nullable Instant nextAt,
    List<Instant> nextTimes,
    @Nullable Instant notBefore,
    @Nullable Pause pause,
    Counts counts,
    Instant createdAt,
    String createdBy,
    Instant changedAt,
    String changedBy) {

  /** What a schedule does. */
  enum State {
    /** It fires. */
    ACTIVE,
    /** Somebody switched it off. */
    DISABLED,
    /** It waits for a moment, or for somebody. */
    PAUSED,
    /** It has no time left. */
    FINISHED
  }

  /**
   * A pause.
   *
   * @param until when it ends by itself; missing if somebody must end it
   * @param since when it began
   * @param by who wanted it; {@code system} after failures
   * @param note why
   */
  record Pause(@Nullable Instant until, Instant since, String by, String note) {}

  /**
   * How many ticks.
   *
   * @param fired became jobs
   * @param skipped were passed over on purpose
   * @param missed were due while nobody was there
   * @param succeeded whose jobs succeeded
   * @param failed whose jobs did not
   * @param failuresInRow since the last that succeeded
   * @param refusalsInRow since the last that became a job
   * @param lastFailure why the last failed
   */
  record Counts(
      long fired,
      long skipped,
      long missed,
      long succeeded,
      long failed,
      int failuresInRow,
      int refusalsInRow,
      @Nullable String lastFailure) {}
}
