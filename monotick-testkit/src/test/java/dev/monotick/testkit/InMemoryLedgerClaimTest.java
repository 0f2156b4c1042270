package dev.monotick.testkit;

final class InMemoryLedgerClaimTest extends LedgerClaimContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
