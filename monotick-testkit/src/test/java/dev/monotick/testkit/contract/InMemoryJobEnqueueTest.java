package dev.monotick.testkit.contract;

final class InMemoryJobEnqueueTest extends JobEnqueueContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
