package dev.monotick.testkit;

final class InMemoryJobLimitTest extends JobLimitContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
