package dev.monotick.testkit.contract;

final class InMemoryJobViewTest extends JobViewContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
