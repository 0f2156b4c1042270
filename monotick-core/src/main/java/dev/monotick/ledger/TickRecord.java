package dev.monotick.ledger;

import dev.monotick.leader.Fence;
import java.time.Instant;
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
    @Nullable ClaimId claim,
    @Nullable Fence fence,
    int attempt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt) {

  /** Where a tick is in its life. */
  public enum Status {
    /** May be taken, now or when another run ends. */
    WAITING,
    /** Claimed, not ended. */
    RUNNING,
    /** Has its outcome. */
    ENDED
  }
}
