package dev.monotick.testkit.contract;

final class InMemoryLedgerRescueTest extends LedgerRescueContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
