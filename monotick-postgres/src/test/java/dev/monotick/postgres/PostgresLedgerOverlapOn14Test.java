package dev.monotick.postgres;

import dev.monotick.testkit.LedgerOverlapContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresLedgerOverlapOn14Test extends LedgerOverlapContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(14);
  }
}
