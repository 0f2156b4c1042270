package dev.monotick.postgres;

import static java.util.Objects.requireNonNull;

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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Behind a real pooler that gives each transaction another session. */
@Tag("thorough")
class PoolerTest {

  private static @Nullable PgBouncer started;

  @BeforeAll
  static void startPooler() {
    started = PgBouncer.start(TestDatabase.on(TestDatabase.NEWEST), "transaction", 5);
  }

  @AfterAll
  static void stopPooler() {
    if (started != null) {
      started.close();
    }
  }

  private static PgBouncer pooler() {
    return requireNonNull(started, "pooler");
  }

  @Nested
  class Claims extends LedgerClaimContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class Overlaps extends LedgerOverlapContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class Reports extends LedgerFinishContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class WaitingTicks extends LedgerWaitingContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class TickOrder extends LedgerOrderContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class Rescues extends LedgerRescueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class Tasks extends LedgerTaskContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class Replicas extends MemberRegistryContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class Leaders extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class JobTurns extends JobExchangeContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class JobEnqueues extends JobEnqueueContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class JobLimits extends JobLimitContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }

  @Nested
  class JobFollows extends JobFollowContract {

    @Override
    protected StoreUnderTest newStore() {
      return PostgresUnderTest.behind(pooler(), TestDatabase.NEWEST);
    }
  }
}
