package dev.monotick.testkit.contract;

final class InMemoryLedgerClaimTest extends LedgerClaimContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
