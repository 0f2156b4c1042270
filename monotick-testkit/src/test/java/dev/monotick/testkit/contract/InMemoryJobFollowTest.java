package dev.monotick.testkit.contract;

final class InMemoryJobFollowTest extends JobFollowContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
