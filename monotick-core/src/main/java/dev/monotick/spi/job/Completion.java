package dev.monotick.spi.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Reports the end of a run. Counts only while the run is the replica's own.
 *
 * @param job what was claimed
 * @param result how it ended
 * @param startedAt when the handler began, by the store's clock; null if it did not
 * @param took how long it ran
 */
public record Completion(ClaimedJob job, End result, @Nullable Instant startedAt, Duration took) {

  /** A job whose last attempt failed is dead: decided here, for stores and whoever is told. */
  public Completion {
    if (result instanceof Retried failure && job.run().attempt() >= job.rules().maxAttempts()) {
      result = new Died(failure.error());
    }
  }

  /** How a run ended. */
  public sealed interface End
      permits Succeeded, Retried, Snoozed, Died, Discarded, HandedBack, Lost {}

  /**
   * The job is done.
   *
   * @param result what the handler returned, null for nothing
   */
  @SuppressWarnings("ArrayRecordComponent") // bytes are carried, never compared
  public record Succeeded(byte @Nullable [] result) implements End {}

  /**
   * Failed; tried again after a while. In a finish of the last attempt it becomes {@link Died}.
   *
   * @param error what happened
   * @param delay how long until the next attempt
   */
  public record Retried(String error, Duration delay) implements End {}

  /**
   * To be asked again; costs no attempt.
   *
   * @param delay how long until then
   */
  public record Snoozed(Duration delay) implements End {}

  /**
   * Failed for good.
   *
   * @param error what happened
   */
  public record Died(String error) implements End {}

  /**
   * Nothing to do any more.
   *
   * @param reason why
   */
  public record Discarded(String reason) implements End {}

  /**
   * Begun, stopped in the middle, and may not run twice: nobody can say what it did.
   *
   * @param reason why it was stopped
   */
  public record Lost(String reason) implements End {}

  /** Not begun, or may run again; back to the head of the line, without costing an attempt. */
  public record HandedBack() implements End {}
}
