package dev.monotick.testkit;

final class InMemoryJobTurnTest extends JobTurnContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
