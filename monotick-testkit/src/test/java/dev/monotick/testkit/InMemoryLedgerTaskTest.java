package dev.monotick.testkit;

final class InMemoryLedgerTaskTest extends LedgerTaskContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
