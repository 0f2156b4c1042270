package dev.monotick.postgres;

import dev.monotick.testkit.LedgerClaimContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresLedgerClaimOn18Test extends LedgerClaimContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(18);
  }
}
