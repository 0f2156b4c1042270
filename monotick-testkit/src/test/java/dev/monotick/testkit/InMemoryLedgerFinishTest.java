package dev.monotick.testkit;

final class InMemoryLedgerFinishTest extends LedgerFinishContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
