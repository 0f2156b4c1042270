package dev.monotick.testkit;

final class InMemoryJobRescueTest extends JobRescueContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
