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
import org.junit.jupiter.api.Tag;

/** Jobs on the oldest server. */
@Tag("thorough")
class OldestServerJobsTest {

  @Nested
  class Decisions extends JobDecisionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Additions extends JobEnqueueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Chains extends JobFollowContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Limits extends JobLimitContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Rescues extends JobRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Shares extends JobShareContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Transitions extends JobTransitionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Turns extends JobTurnContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Views extends JobViewContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }
}
