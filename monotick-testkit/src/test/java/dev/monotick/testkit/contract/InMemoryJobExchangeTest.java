package dev.monotick.testkit.contract;

final class InMemoryJobExchangeTest extends JobExchangeContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
