package dev.monotick.postgres;

import dev.monotick.testkit.contract.JobExchangeContract;
import dev.monotick.testkit.contract.JobHandoffContract;
import dev.monotick.testkit.contract.JobRescueContract;
import dev.monotick.testkit.contract.JobTransitionContract;
import dev.monotick.testkit.contract.StoreUnderTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Jobs on the oldest server: the turns, what becomes of the lost, and every step of the table. */
@Tag("thorough")
class OldestServerJobsTest {

  @Nested
  class Rescues extends JobRescueContract {

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
  class Turns extends JobExchangeContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Handoff extends JobHandoffContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.forJobs(TestDatabase.OLDEST);
    }
  }
}
