package dev.monotick.testkit.contract;

final class InMemoryJobTransitionTest extends JobTransitionContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
