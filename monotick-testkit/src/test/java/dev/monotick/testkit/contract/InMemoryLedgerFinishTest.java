package dev.monotick.testkit.contract;

final class InMemoryLedgerFinishTest extends LedgerFinishContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
