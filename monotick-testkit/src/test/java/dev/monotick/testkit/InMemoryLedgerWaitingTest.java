package dev.monotick.testkit;

final class InMemoryLedgerWaitingTest extends LedgerWaitingContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
