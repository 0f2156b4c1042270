package dev.monotick.job;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * What a handler tells the engine when it returns. Whatever it throws counts as {@link Failed},
 * unless the kind says that such failures are permanent.
 */
public sealed interface JobOutcome {

  /** The job is done. */
  static JobOutcome done() {
    return Done.EMPTY;
  }

  /**
   * The job is done, and this came out of it; kept with the job.
   *
   * @param result what the codec can write
   */
  static JobOutcome done(Object result) {
    return new Done(Optional.of(result));
  }

  /** Asks for the job again later; costs no attempt. */
  static JobOutcome snooze(Duration delay) {
    return new Snoozed(delay);
  }

  /** The attempt failed; the next one comes after this delay, whatever the kind's policy says. */
  static JobOutcome retryAfter(Duration delay, String reason) {
    return new RetryAfter(delay, reason);
  }

  /** There is nothing to do any more; the job is cancelled, and no dead letter. */
  static JobOutcome discard(String reason) {
    return new Discarded(reason);
  }

  /** The job failed for good; it becomes a dead letter, however many attempts are left. */
  static JobOutcome fail(String reason) {
    return new Failed(reason);
  }

  /**
   * Done.
   *
   * @param result what came out of it
   */
  record Done(Optional<Object> result) implements JobOutcome {
    private static final Done EMPTY = new Done(Optional.empty());
  }

  /**
   * To be asked again later.
   *
   * @param delay how much later
   */
  record Snoozed(Duration delay) implements JobOutcome {
    /** Refuses delays that cannot be. */
    public Snoozed {
      requireDelay(delay);
    }
  }

  /**
   * Failed, and knows when to try again.
   *
   * @param delay how much later
   * @param reason what happened
   */
  record RetryAfter(Duration delay, String reason) implements JobOutcome {
    /** Refuses delays that cannot be. */
    public RetryAfter {
      requireDelay(delay);
      requireNonNull(reason, "reason");
    }
  }

  /**
   * Nothing to do.
   *
   * @param reason why
   */
  record Discarded(String reason) implements JobOutcome {
    /** Refuses null. */
    public Discarded {
      requireNonNull(reason, "reason");
    }
  }

  /**
   * Failed for good.
   *
   * @param reason what happened
   */
  record Failed(String reason) implements JobOutcome {
    /** Refuses null. */
    public Failed {
      requireNonNull(reason, "reason");
    }
  }

  private static void requireDelay(Duration delay) {
    if (delay.isNegative() || delay.compareTo(Duration.ofDays(366)) > 0) {
      throw new IllegalArgumentException("delay must be between PT0S and P366D, but was " + delay);
    }
  }
}
