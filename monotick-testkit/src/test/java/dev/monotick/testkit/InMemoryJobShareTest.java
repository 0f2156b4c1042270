package dev.monotick.testkit;

final class InMemoryJobShareTest extends JobShareContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
