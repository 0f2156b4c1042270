package dev.monotick.postgres;

import dev.monotick.testkit.LedgerWaitingContract;
import dev.monotick.testkit.StoreUnderTest;

class PostgresLedgerWaitingOn18Test extends LedgerWaitingContract {

  @Override
  protected StoreUnderTest newStore() {
    return new PostgresUnderTest(18);
  }
}
