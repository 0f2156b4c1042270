package dev.monotick.testkit.contract;

final class InMemoryJobAgreementTest extends JobAgreementContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
