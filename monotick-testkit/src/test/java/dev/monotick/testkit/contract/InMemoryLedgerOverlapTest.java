package dev.monotick.testkit.contract;

final class InMemoryLedgerOverlapTest extends LedgerOverlapContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
