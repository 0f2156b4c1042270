package dev.monotick.postgres;

import dev.monotick.testkit.JobEnqueueContract;
import dev.monotick.testkit.JobFollowContract;
import dev.monotick.testkit.JobLimitContract;
import dev.monotick.testkit.JobTurnContract;
import dev.monotick.testkit.LeaderElectionContract;
import dev.monotick.testkit.LedgerClaimContract;
import dev.monotick.testkit.LedgerFinishContract;
import dev.monotick.testkit.LedgerOrderContract;
import dev.monotick.testkit.LedgerOverlapContract;
import dev.monotick.testkit.LedgerRescueContract;
import dev.monotick.testkit.LedgerTaskContract;
import dev.monotick.testkit.LedgerWaitingContract;
import dev.monotick.testkit.ReplicaRegistryContract;
import dev.monotick.testkit.StoreUnderTest;
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
  class Replicas extends ReplicaRegistryContract {

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
  class JobTurns extends JobTurnContract {

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
