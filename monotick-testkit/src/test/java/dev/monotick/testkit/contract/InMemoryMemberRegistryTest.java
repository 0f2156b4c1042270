package dev.monotick.testkit.contract;

final class InMemoryMemberRegistryTest extends MemberRegistryContract {

  @Override
  protected boolean keepsNamesUnique() {
    return false;
  }

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
