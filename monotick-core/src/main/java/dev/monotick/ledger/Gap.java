package dev.monotick.ledger;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring ticks that nobody ran, accounted for as one range.
 *
 * @param first nominal time of the first
 * @param last nominal time of the last
 * @param count how many there are, at least one
 * @param outcome {@link Outcome#MISSED} or {@link Outcome#SKIPPED}
 * @param reason why they were skipped, null if they were missed
 */
public record Gap(
    Instant first, Instant last, long count, Outcome outcome, @Nullable SkipReason reason) {

  /** Refuses ranges that are empty or contradict themselves. */
  public Gap {
    if (count < 1 || last.isBefore(first)) {
      throw new IllegalArgumentException(
          "a gap needs at least one tick, but had " + count + " from " + first + " to " + last);
    }
    if (outcome != Outcome.MISSED && outcome != Outcome.SKIPPED) {
      throw new IllegalArgumentException("a gap is MISSED or SKIPPED, but was " + outcome);
    }
    if ((outcome == Outcome.SKIPPED) != (reason != null)) {
      throw new IllegalArgumentException(
          "a skipped gap has a reason and a missed one has none, but was "
              + outcome
              + ", "
              + reason);
    }
  }

  /** Returns a range that nobody was there for. */
  public static Gap missed(Instant first, Instant last, long count) {
    return new Gap(first, last, count, Outcome.MISSED, null);
  }

  /** Returns a range that was left out on purpose. */
  public static Gap skipped(Instant first, Instant last, long count, SkipReason reason) {
    return new Gap(first, last, count, Outcome.SKIPPED, reason);
  }
}
