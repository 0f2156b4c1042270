package dev.monotick.postgres;

import dev.monotick.testkit.JobDecisionContract;
import dev.monotick.testkit.JobEnqueueContract;
import dev.monotick.testkit.JobFollowContract;
import dev.monotick.testkit.JobLimitContract;
import dev.monotick.testkit.JobRescueContract;
import dev.monotick.testkit.JobShareContract;
import dev.monotick.testkit.JobTransitionContract;
import dev.monotick.testkit.JobTurnContract;
import dev.monotick.testkit.JobViewContract;
import dev.monotick.testkit.StoreUnderTest;
import org.junit.jupiter.api.Nested;

/** Jobs on the newest server. */
class JobsOnNewestServerTest {

  @Nested
  class Decisions extends JobDecisionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Additions extends JobEnqueueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Chains extends JobFollowContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Limits extends JobLimitContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Rescues extends JobRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Shares extends JobShareContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Transitions extends JobTransitionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Turns extends JobTurnContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }

  @Nested
  class Views extends JobViewContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.direct(TestDatabase.NEWEST, PostgresLeadership.ADVISORY_LEASE);
    }
  }
}
