package dev.monotick.postgres;

import dev.monotick.testkit.LedgerFinishContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresLedgerFinishOn18Test extends LedgerFinishContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(18);
  }
}
