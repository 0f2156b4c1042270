package dev.monotick.postgres.job.queue;

import dev.monotick.postgres.ledger.DatabaseClock;
import dev.monotick.spi.job.JobDraft;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When jobs that wait for their time are to be looked at: when the first one known is due, and at
 * least every second, since others add some too. Thread-safe.
 */
public final class DueTimes {

  private static final Duration LONGEST = Duration.ofSeconds(1);

  /** What is known of the server's clock may be a little behind it. */
  private static final Duration MARGIN = Duration.ofMillis(5);

  private final DatabaseClock clock;
  private @Nullable Instant next; // guarded by this
  private Instant nextPoll = Instant.EPOCH; // guarded by this
  private @Nullable Instant addedMeanwhile; // since a look began; guarded by this

  public DueTimes(DatabaseClock clock) {
    this.clock = clock;
  }

  /** Says whether to look now; if so, the caller does. */
  synchronized boolean isPollDue() {
    Instant now = clock.now().plus(MARGIN);
    Instant first = next;
    boolean isTime = !now.isBefore(nextPoll) || (first != null && !now.isBefore(first));
    if (isTime) {
      addedMeanwhile = null;
    }
    return isTime;
  }

  /** Takes in what a look showed, which cannot have seen all that came since it began. */
  synchronized void polled(@Nullable Instant nextDue) {
    next = earlier(nextDue, addedMeanwhile);
    nextPoll = clock.now().plus(LONGEST);
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isBefore(other) ? one : other;
  }

  /** Has the next claim promote due jobs: the times of some were changed. */
  public synchronized void pollSoon() {
    nextPoll = Instant.EPOCH;
  }

  /** Takes in that a job was given a time. */
  synchronized void added(Instant due) {
    next = earlier(due, next);
    addedMeanwhile = earlier(due, addedMeanwhile);
  }

  /** Says whether something of a new job is due later than now. */
  public static boolean concern(JobDraft draft) {
    return draft.start().at().isPresent()
        || !draft.start().delay().isZero()
        || draft.rules().deadline().isPresent()
        || draft.rules().approval().isPresent();
  }

  /** Takes in that a job was added. */
  void added(JobDraft draft) {
    Instant start = draft.start().at().orElse(Instant.MIN);
    if (!draft.start().delay().isZero()) {
      Instant delayed = clock.now().plus(draft.start().delay());
      start = delayed.isAfter(start) ? delayed : start;
    }
    if (start.isAfter(Instant.MIN)) {
      added(start);
    }
    draft.rules().deadline().ifPresent(this::added);
    draft.rules().approval().ifPresent(wait -> added(clock.now().plus(wait)));
  }

  /** Returns how long until something is due, also counting what the caller knows of. */
  synchronized Optional<Duration> untilNext(Instant now, @Nullable Instant other) {
    Instant first = earlier(next, other);
    if (first == null) {
      return Optional.empty();
    }
    Duration left = Duration.between(now, first);
    return Optional.of(left.isNegative() ? Duration.ZERO : left);
  }
}
