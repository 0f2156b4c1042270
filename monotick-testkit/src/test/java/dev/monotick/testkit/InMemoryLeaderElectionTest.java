package dev.monotick.testkit;

final class InMemoryLeaderElectionTest extends LeaderElectionContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
