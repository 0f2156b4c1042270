package dev.monotick.testkit;

final class InMemoryJobViewTest extends JobViewContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
