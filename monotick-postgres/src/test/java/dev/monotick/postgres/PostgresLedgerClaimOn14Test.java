package dev.monotick.postgres;

import dev.monotick.testkit.LedgerClaimContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresLedgerClaimOn14Test extends LedgerClaimContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(14);
  }
}
