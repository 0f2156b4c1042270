package dev.monotick.testkit.contract;

final class InMemoryLedgerWaitingTest extends LedgerWaitingContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
