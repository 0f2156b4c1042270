package dev.monotick.testkit;

final class InMemoryJobTransitionTest extends JobTransitionContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
