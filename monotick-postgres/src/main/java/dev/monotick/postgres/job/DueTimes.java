package dev.monotick.postgres.job;

import dev.monotick.job.store.JobDraft;
import dev.monotick.postgres.ledger.DatabaseClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When jobs that wait for their time are to be looked at: when the first one known is due, and at
 * least every second, since others add some too. Thread-safe.
 */
final class DueTimes {

  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final DatabaseClock clock;
  private @Nullable Instant next; // guarded by this
  private Instant lookAgain = Instant.EPOCH; // guarded by this

  DueTimes(DatabaseClock clock) {
    this.clock = clock;
  }

  synchronized boolean isTimeToLook() {
    Instant now = clock.now();
    Instant first = next;
    return !now.isBefore(lookAgain) || (first != null && !now.isBefore(first));
  }

  /** Takes in what a look showed. */
  synchronized void looked(@Nullable Instant nextDue) {
    next = nextDue;
    lookAgain = clock.now().plus(LONGEST);
  }

  /** Takes in that a job was given a time. */
  synchronized void added(Instant due) {
    if (next == null || due.isBefore(next)) {
      next = due;
    }
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
    Instant first = next;
    if (first == null || (other != null && other.isBefore(first))) {
      first = other;
    }
    if (first == null) {
      return Optional.empty();
    }
    Duration left = Duration.between(now, first);
    return Optional.of(left.isNegative() ? Duration.ZERO : left);
  }
}
