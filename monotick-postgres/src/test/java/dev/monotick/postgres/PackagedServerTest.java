package dev.monotick.postgres;

import dev.monotick.testkit.contract.JobAgreementContract;
import dev.monotick.testkit.contract.JobDecisionContract;
import dev.monotick.testkit.contract.JobEnqueueContract;
import dev.monotick.testkit.contract.JobExchangeContract;
import dev.monotick.testkit.contract.JobFollowContract;
import dev.monotick.testkit.contract.JobLimitContract;
import dev.monotick.testkit.contract.JobRescueContract;
import dev.monotick.testkit.contract.JobShareContract;
import dev.monotick.testkit.contract.JobTransitionContract;
import dev.monotick.testkit.contract.JobViewContract;
import dev.monotick.testkit.contract.LeaderElectionContract;
import dev.monotick.testkit.contract.LedgerClaimContract;
import dev.monotick.testkit.contract.LedgerFinishContract;
import dev.monotick.testkit.contract.LedgerOrderContract;
import dev.monotick.testkit.contract.LedgerOverlapContract;
import dev.monotick.testkit.contract.LedgerRescueContract;
import dev.monotick.testkit.contract.LedgerTaskContract;
import dev.monotick.testkit.contract.LedgerWaitingContract;
import dev.monotick.testkit.contract.MemberRegistryContract;
import dev.monotick.testkit.contract.StoreUnderTest;
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
  class Replicas extends MemberRegistryContract {

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
  class JobTurns extends JobExchangeContract {

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

  @Nested
  class TickOrder extends LedgerOrderContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class Overlaps extends LedgerOverlapContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class WaitingTicks extends LedgerWaitingContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class Tasks extends LedgerTaskContract {

    @Override
    protected StoreUnderTest newStore() {
      return ticks();
    }
  }

  @Nested
  class JobAgreements extends JobAgreementContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobLimits extends JobLimitContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobDecisions extends JobDecisionContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobEnqueues extends JobEnqueueContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobFollows extends JobFollowContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }

  @Nested
  class JobShares extends JobShareContract {

    @Override
    protected StoreUnderTest newStore() {
      return jobs();
    }
  }
}
