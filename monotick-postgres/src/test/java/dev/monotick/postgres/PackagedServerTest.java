package dev.monotick.postgres;

import dev.monotick.testkit.JobRescueContract;
import dev.monotick.testkit.JobTransitionContract;
import dev.monotick.testkit.JobTurnContract;
import dev.monotick.testkit.JobViewContract;
import dev.monotick.testkit.LeaderElectionContract;
import dev.monotick.testkit.LedgerClaimContract;
import dev.monotick.testkit.LedgerFinishContract;
import dev.monotick.testkit.LedgerRescueContract;
import dev.monotick.testkit.ReplicaRegistryContract;
import dev.monotick.testkit.StoreUnderTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The server that the operating system packages, with its own settings. */
@Tag("thorough")
class PackagedServerTest {

  private static StoreUnderTest ticks() {
    return PostgresUnderTest.direct(TestDatabase.PACKAGED, PostgresLeadership.ADVISORY_LEASE);
  }

  private static StoreUnderTest jobs() {
    return PostgresUnderTest.forJobs(TestDatabase.PACKAGED);
  }

  @Nested
  class Claims extends LedgerClaimContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class Reports extends LedgerFinishContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class Rescues extends LedgerRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class Replicas extends ReplicaRegistryContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class Leaders extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class JobTurns extends JobTurnContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobRescues extends JobRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobTransitions extends JobTransitionContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobViews extends JobViewContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }
}
