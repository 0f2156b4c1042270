package dev.monotick.testkit;

final class InMemoryRegistryTest extends ReplicaRegistryContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
