package dev.monotick.testkit;

final class InMemoryJobFollowTest extends JobFollowContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
