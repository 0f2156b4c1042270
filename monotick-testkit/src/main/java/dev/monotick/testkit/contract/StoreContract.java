package dev.monotick.testkit.contract;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What all contract suites share: one new store for each test. Extend one of the suites. */
abstract class StoreContract {

  private @Nullable StoreUnderTest subject;

  StoreContract() {}

  /** {@return a new, empty store} */
  protected abstract StoreUnderTest newStore();

  @BeforeEach
  final void openStore() {
    subject = newStore();
  }

  @AfterEach
  final void closeStore() {
    if (subject != null) {
      subject.close();
    }
  }

  final TickLedger ledger() {
    return subject().store().ledger();
  }

  final MemberRegistry replicas() {
    return subject().store().replicas();
  }

  final MemberRegistry replicasOfAnotherProcess() {
    return subject().storeOfAnotherProcess().replicas();
  }

  final LeaderElection leaders() {
    return subject().store().leaders();
  }

  final JobStore jobs() {
    return subject().store().jobs();
  }

  final void letTimePass(Duration amount) {
    subject().letTimePass(amount);
  }

  final void endRejoinGrace() {
    subject().endRejoinGrace();
  }

  final void needs(Capability capability) {
    assumeTrue(
        subject().capabilities().contains(capability),
        () -> "the backend declares that it does not offer " + capability);
  }

  private StoreUnderTest subject() {
    return requireNonNull(subject, "no store: newStore() failed");
  }
}
