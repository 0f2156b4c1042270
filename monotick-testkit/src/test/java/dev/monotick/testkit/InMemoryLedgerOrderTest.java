package dev.monotick.testkit;

final class InMemoryLedgerOrderTest extends LedgerOrderContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
