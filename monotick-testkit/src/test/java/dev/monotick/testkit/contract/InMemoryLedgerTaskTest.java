package dev.monotick.testkit.contract;

final class InMemoryLedgerTaskTest extends LedgerTaskContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
