package dev.monotick.testkit.contract;

final class InMemoryJobLimitTest extends JobLimitContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
