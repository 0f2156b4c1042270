package dev.monotick.internal.ledger;

import dev.monotick.leader.Fence;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row that is history: the same as a {@link TickRow} in a third of the space, because these are
 * most of what a ledger holds. Times of runs are kept to the microsecond.
 */
final class EndedRow {

  private static final long NEVER = Long.MIN_VALUE;

  private final Instant nominal;
  private final Instant last;
  private final long count;
  private final @Nullable String trigger;
  private final @Nullable Outcome outcome;
  private final @Nullable SkipReason reason;
  private final @Nullable String detail;
  private final @Nullable UUID replica;
  private final long claimNumber;
  private final @Nullable Fence fence;
  private final int attempt;
  private final long startedMicros;
  private final long endedMicros;

  EndedRow(TickRecord row) {
    TickRecord.Claim claim = row.claim();
    nominal = row.tick().nominal();
    last = row.last();
    count = row.count();
    trigger = row.tick().trigger();
    outcome = row.outcome();
    reason = row.reason();
    detail = row.detail();
    replica = claim == null ? null : claim.replica();
    claimNumber = claim == null ? 0 : claim.number();
    fence = row.fence();
    attempt = row.attempt();
    startedMicros = micros(row.startedAt());
    endedMicros = micros(row.endedAt());
  }

  boolean isOf(TickClaimId claim, TickId tick) {
    return claim.number() == claimNumber
        && claim.replica().value().equals(replica)
        && tick.nominal().equals(nominal);
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  TickRecord toRecord(String task) {
    return new TickRecord(
        new TickId(task, nominal, trigger),
        last,
        count,
        TickRecord.Status.ENDED,
        outcome,
        reason,
        detail,
        replica == null ? null : new TickRecord.Claim(replica, claimNumber),
        fence,
        attempt,
        instant(startedMicros),
        instant(endedMicros));
  }

  private static long micros(@Nullable Instant time) {
    return time == null ? NEVER : ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static @Nullable Instant instant(long micros) {
    return micros == NEVER ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
