package dev.monotick.postgres;

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

/** The oldest server, leaders by session lock. */
@Tag("thorough")
class OldestServerTest {

  @Nested
  class Claims extends LedgerClaimContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Overlaps extends LedgerOverlapContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Reports extends LedgerFinishContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class WaitingTicks extends LedgerWaitingContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class TickOrder extends LedgerOrderContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Rescues extends LedgerRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Tasks extends LedgerTaskContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Replicas extends ReplicaRegistryContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Leaders extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }
}
