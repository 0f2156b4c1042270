package dev.monotick.ledger;

import dev.monotick.replica.ReplicaId;

/**
 * One attempt of one replica at one tick. A claim that is sent again because its answer was lost
 * carries the same identity, so that the ledger knows its own.
 *
 * @param replica who claims
 * @param number counts the claims of that replica
 */
public record ClaimId(ReplicaId replica, long number) {

  @Override
  public String toString() {
    return replica + "#" + number;
  }
}
