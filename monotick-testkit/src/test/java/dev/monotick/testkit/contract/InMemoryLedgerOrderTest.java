package dev.monotick.testkit.contract;

final class InMemoryLedgerOrderTest extends LedgerOrderContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
