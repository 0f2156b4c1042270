package dev.monotick.testkit;

final class InMemoryJobDecisionTest extends JobDecisionContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
