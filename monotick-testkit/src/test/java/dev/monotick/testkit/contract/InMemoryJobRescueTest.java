package dev.monotick.testkit.contract;

final class InMemoryJobRescueTest extends JobRescueContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
