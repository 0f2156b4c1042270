package dev.monotick.postgres;

import dev.monotick.testkit.contract.JobAgreementContract;
import dev.monotick.testkit.contract.JobDecisionContract;
import dev.monotick.testkit.contract.JobEnqueueContract;
import dev.monotick.testkit.contract.JobExchangeContract;
import dev.monotick.testkit.contract.JobFollowContract;
import dev.monotick.testkit.contract.JobHandoffContract;
import dev.monotick.testkit.contract.JobLimitContract;
import dev.monotick.testkit.contract.JobRescueContract;
import dev.monotick.testkit.contract.JobShareContract;
import dev.monotick.testkit.contract.JobTransitionContract;
import dev.monotick.testkit.contract.JobViewContract;
import dev.monotick.testkit.contract.StoreUnderTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** What every store of jobs must do, on the newest server. */
@Tag("thorough")
class NewestServerJobsTest {

  private static StoreUnderTest store() {
    return PostgresUnderTest.forJobs(TestDatabase.NEWEST);
  }

  @Nested
  class Agreement extends JobAgreementContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Enqueue extends JobEnqueueContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Turn extends JobExchangeContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Handoff extends JobHandoffContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Follow extends JobFollowContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Limit extends JobLimitContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Share extends JobShareContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Rescue extends JobRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Decision extends JobDecisionContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class View extends JobViewContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }

  @Nested
  class Transition extends JobTransitionContract {

    @Override
    protected StoreUnderTest newStore() {
      return store();
    }
  }
}
