package dev.monotick.testkit;

final class InMemoryJobAgreementTest extends JobAgreementContract {

  @Override
  protected StoreUnderTest newStore() {
    return new InMemoryUnderTest();
  }
}
