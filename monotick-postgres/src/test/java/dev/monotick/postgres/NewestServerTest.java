package dev.monotick.postgres;

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

/** The newest server, leaders by session lock. */
@Tag("thorough")
class NewestServerTest {

  @Nested
  class Claims extends LedgerClaimContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Overlaps extends LedgerOverlapContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Reports extends LedgerFinishContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class WaitingTicks extends LedgerWaitingContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class TickOrder extends LedgerOrderContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Rescues extends LedgerRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Tasks extends LedgerTaskContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Replicas extends MemberRegistryContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Leaders extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }
}
