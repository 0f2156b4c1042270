package dev.monotick.testkit;

final class InMemoryLedgerRescueTest extends LedgerRescueContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
