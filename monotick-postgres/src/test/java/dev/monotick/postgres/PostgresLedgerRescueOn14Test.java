package dev.monotick.postgres;

import dev.monotick.testkit.LedgerRescueContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresLedgerRescueOn14Test extends LedgerRescueContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(14);
  }
}
