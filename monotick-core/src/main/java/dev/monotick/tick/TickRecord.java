package dev.monotick.tick;

import dev.monotick.leader.Fence;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row of the ledger: a tick, or a range of neighbouring ticks that nobody ran.
 *
 * @param tick the tick, or the first of the range
 * @param last nominal time of the last of the range; that of the tick if it is one
 * @param count how many ticks the row stands for
 * @param status whether it waits, runs or ended
 * @param outcome how it ended, null until then
 * @param reason why it was skipped, null if it was not
 * @param detail a line for people, null if there is nothing to say
 * @param claim the newest claim, null if there was none
 * @param fence the fence under which it was claimed, null if the mode needs none
 * @param attempt how many times it was claimed
 * @param startedAt when the newest body was started, null if none was
 * @param endedAt when the outcome was known, null until then
 */
public record TickRecord(
    TickId tick,
    Instant last,
    long count,
    Status status,
    @Nullable Outcome outcome,
    @Nullable SkipReason reason,
    @Nullable String detail,
    @Nullable Claim claim,
    @Nullable Fence fence,
    int attempt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt) {

  /**
   * Who claimed a tick.
   *
   * @param replica id of the replica's membership
   * @param number counts the claims of that membership
   */
  public record Claim(UUID replica, long number) {

    @Override
    public String toString() {
      return replica + "#" + number;
    }
  }

  /** Where a tick is in its life. */
  public enum Status {
    /** May be taken, now or when another run ends. */
    WAITING,
    /** Claimed, not ended. */
    RUNNING,
    /** Has its outcome. */
    ENDED
  }

  /**
   * Neighbouring ticks that nobody ran, accounted for as one range.
   *
   * @param first nominal time of the first
   * @param last nominal time of the last
   * @param count how many there are, at least one
   * @param outcome {@link Outcome#MISSED} or {@link Outcome#SKIPPED}
   * @param reason why they were skipped, null if they were missed
   */
  public record Range(
      Instant first, Instant last, long count, Outcome outcome, @Nullable SkipReason reason) {

    /** Refuses ranges that are empty or contradict themselves. */
    public Range {
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
    public static Range missed(Instant first, Instant last, long count) {
      return new Range(first, last, count, Outcome.MISSED, null);
    }

    /** Returns a range that was left out on purpose. */
    public static Range skipped(Instant first, Instant last, long count, SkipReason reason) {
      return new Range(first, last, count, Outcome.SKIPPED, reason);
    }
  }
}
