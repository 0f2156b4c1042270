package dev.monotick.testkit;

final class InMemoryLedgerOverlapTest extends LedgerOverlapContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
