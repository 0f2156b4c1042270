package dev.monotick.testkit;

final class InMemoryRegistryTest extends ReplicaRegistryContract {

  @Override
  protected boolean keepsNamesUnique() {
    return false;
  }

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
