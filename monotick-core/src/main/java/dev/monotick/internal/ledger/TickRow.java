package dev.monotick.internal.ledger;

import dev.monotick.leader.Fence;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of the ledger. Not thread-safe: guarded by the lock of its {@link SeriesRow}.
 *
 * <p>{@code WAITING -> RUNNING -> ENDED}, and back from running to waiting. Apart from that, a row
 * occupies its task from the claim until the body ended, which may be after the tick did.
 */
final class TickRow {

  private final TickId tick;
  private final Instant last;
  private final long count;

  private Status status = Status.WAITING;
  private @Nullable Outcome outcome;
  private @Nullable SkipReason reason;
  private @Nullable String detail;
  private @Nullable TickClaimId claim;
  private @Nullable List<TickClaimId>
      spent; // claims before the newest, of a tick that waited again
  private @Nullable Fence fence;
  private @Nullable Effect effect;
  private boolean mayHaveBegun; // by a claim that is over
  private int attempt;
  private @Nullable Instant startedAt;
  private @Nullable Instant endedAt;
  private boolean occupies;
  private boolean allowsOthers;
  private boolean cancelAsked;

  private TickRow(TickId tick, Instant last, long count) {
    this.tick = tick;
    this.last = last;
    this.count = count;
  }

  static TickRow waiting(TickId tick) {
    return new TickRow(tick, tick.nominal(), 1);
  }

  static TickRow of(String task, TickRecord.Range gap, Instant now) {
    TickRow row = new TickRow(TickId.scheduled(task, gap.first()), gap.last(), gap.count());
    row.end(gap.outcome(), gap.reason(), null, now);
    return row;
  }

  static TickRow restored(TickImage image) {
    TickRecord record = image.row();
    TickRow row = new TickRow(record.tick(), record.last(), record.count());
    row.status = record.status();
    row.outcome = record.outcome();
    row.reason = record.reason();
    row.detail = record.detail();
    row.claim = TickClaimId.of(record.claim());
    row.spent = image.spent().isEmpty() ? null : new ArrayList<>(image.spent());
    row.fence = record.fence();
    row.effect = image.effect();
    row.mayHaveBegun = image.mayHaveBegun();
    row.attempt = record.attempt();
    row.startedAt = record.startedAt();
    row.endedAt = record.endedAt();
    row.occupies = image.occupies();
    row.allowsOthers = image.allowsOthers();
    row.cancelAsked = image.cancelAsked();
    return row;
  }

  TickImage image() {
    return new TickImage(
        toRecord(),
        effect,
        mayHaveBegun,
        spent == null ? List.of() : spent,
        occupies,
        allowsOthers,
        cancelAsked);
  }

  void claim(TickClaimId by, OverlapRule onOverlap, Effect promised, @Nullable LeaderProof leader) {
    status = Status.RUNNING;
    if (claim != null) {
      spent = spent == null ? new ArrayList<>(1) : spent;
      spent.add(claim);
    }
    claim = by;
    fence = leader == null ? null : leader.fence();
    effect = promised;
    attempt++;
    detail = null;
    occupies = true;
    allowsOthers = onOverlap == OverlapRule.ALLOW;
  }

  void waitAgain(String why, boolean began) {
    status = Status.WAITING;
    detail = why;
    mayHaveBegun |= began;
    occupies = false;
    cancelAsked = false;
  }

  /** Ends the tick; its body is taken to have ended too, unless {@link #bodyStillRuns} follows. */
  void end(Outcome how, @Nullable SkipReason why, @Nullable String line, Instant at) {
    status = Status.ENDED;
    outcome = how;
    reason = why;
    detail = line;
    endedAt = at;
    occupies = false;
  }

  void started(@Nullable Instant at) {
    startedAt = at;
  }

  void bodyStillRuns() {
    occupies = true;
  }

  void bodyEnded() {
    occupies = false;
  }

  void askToCancel() {
    cancelAsked = true;
  }

  TickId tick() {
    return tick;
  }

  @Nullable TickClaimId claim() {
    return claim;
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  @Nullable Instant endedAt() {
    return endedAt;
  }

  int attempt() {
    return attempt;
  }

  /** Returns whether the body may have been started by a claim that is over. */
  boolean mayHaveBegun() {
    return mayHaveBegun;
  }

  boolean isScheduled() {
    return !tick.isTriggered();
  }

  boolean is(Status other) {
    return status == other;
  }

  boolean isOf(TickClaimId other) {
    return other.equals(claim);
  }

  /**
   * Says whether the claim was ever granted: whoever made it has been told, and is done with it.
   */
  boolean wasOf(TickClaimId other) {
    return isOf(other) || (spent != null && spent.contains(other));
  }

  boolean occupies() {
    return occupies;
  }

  /** Says whether it was claimed by a caller who lets runs of the task overlap. */
  boolean allowsOthers() {
    return allowsOthers;
  }

  boolean isCancelAsked() {
    return cancelAsked;
  }

  /** Says whether the tick may be run once more after its replica died. */
  boolean mayRunAgain() {
    // What commits with the tick's outcome has not happened if there is no outcome.
    return effect != null && effect != Effect.AT_MOST_ONCE && attempt < SeriesRow.ATTEMPTS;
  }

  TickRecord toRecord() {
    return new TickRecord(
        tick,
        last,
        count,
        status,
        outcome,
        reason,
        detail,
        claim == null ? null : claim.shown(),
        fence,
        attempt,
        startedAt,
        endedAt);
  }
}
