package dev.monotick.testkit.contract;

final class InMemoryJobShareTest extends JobShareContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
