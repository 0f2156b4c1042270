package dev.monotick.postgres;

import dev.monotick.testkit.contract.LeaderElectionContract;
import dev.monotick.testkit.contract.StoreUnderTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Leaders by row, on direct connections of the newest and the oldest server. */
@Tag("thorough")
class LeaseRowTest {

  @Nested
  class LeadersOnOldest extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.OLDEST, PostgresLeadership.LEASE_ROW);
    }
  }

  @Nested
  class Leaders extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.LEASE_ROW);
    }
  }
}
