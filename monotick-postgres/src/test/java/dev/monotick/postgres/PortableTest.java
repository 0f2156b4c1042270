package dev.monotick.postgres;

import dev.monotick.testkit.contract.JobEnqueueContract;
import dev.monotick.testkit.contract.JobExchangeContract;
import dev.monotick.testkit.contract.JobFollowContract;
import dev.monotick.testkit.contract.JobLimitContract;
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

/** Nothing that belongs to a session, on the oldest server. */
@Tag("thorough")
class PortableTest {

  @Nested
  class Claims extends LedgerClaimContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Overlaps extends LedgerOverlapContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Reports extends LedgerFinishContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class WaitingTicks extends LedgerWaitingContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class TickOrder extends LedgerOrderContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Rescues extends LedgerRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Tasks extends LedgerTaskContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Replicas extends MemberRegistryContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Leaders extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class JobTurns extends JobExchangeContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class JobEnqueues extends JobEnqueueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class JobLimits extends JobLimitContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }

  @Nested
  class JobFollows extends JobFollowContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.portable(TestDatabase.OLDEST);
    }
  }
}
