package dev.monotick.testkit.contract;

final class InMemoryJobDecisionTest extends JobDecisionContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
