package dev.monotick.testkit;

final class InMemoryJobEnqueueTest extends JobEnqueueContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
