package dev.monotick.spi.tick;

import dev.monotick.spi.replica.MemberId;
import dev.monotick.tick.TickRecord;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of one replica at one tick. A claim that is sent again because its answer was lost
 * carries the same identity, so that the ledger knows its own.
 *
 * @param replica who claims
 * @param number counts the claims of that replica
 */
public record TickClaimId(MemberId replica, long number) {

  /** Returns the claim that a row of the ledger shows, null if it shows none. */
  public static @Nullable TickClaimId of(TickRecord.@Nullable Claim claim) {
    return claim == null ? null : new TickClaimId(new MemberId(claim.replica()), claim.number());
  }

  /** Returns the claim as a row of the ledger shows it. */
  public TickRecord.Claim shown() {
    return new TickRecord.Claim(replica.value(), number);
  }

  @Override
  public String toString() {
    return replica + "#" + number;
  }
}
