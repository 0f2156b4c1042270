package dev.monotick.postgres;

import dev.monotick.testkit.LedgerTaskContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresLedgerTaskOn14Test extends LedgerTaskContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(14);
  }
}
