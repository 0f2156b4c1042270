package dev.monotick.testkit.contract;

final class InMemoryLeaderElectionTest extends LeaderElectionContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
