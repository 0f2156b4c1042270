package dev.monotick.postgres.leader;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.notice.Notices;
import dev.monotick.testkit.Capability;
import dev.monotick.testkit.LeaderElectionContract;
import dev.monotick.testkit.StoreUnderTest;
import dev.monotick.time.Ticker;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

class LeaseRowContractTest {

  private static StoreUnderTest withNotices(int major) {
    TestDatabase database = Replica.tables(TestDatabase.on(major));
    Replica replica = new Replica(database);
    LeaseRowElection election = replica.leaseRow(ElectionUnderTest.TIMING);
    return new ElectionUnderTest(
        database,
        () -> {
          election.close();
          replica.close();
        },
        election,
        EnumSet.of(Capability.HINTS));
  }

  @Nested
  class Oldest extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return withNotices(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Newest extends LeaderElectionContract {

    @Override
    protected StoreUnderTest newStore() {
      return withNotices(TestDatabase.NEWEST);
    }
  }

  /** Portable, and each statement in whichever server session is free. */
  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class BehindPooler extends LeaderElectionContract {

    private PgBouncer pooler;

    @BeforeAll
    void startPooler() {
      pooler = PgBouncer.start(TestDatabase.on(TestDatabase.NEWEST), "transaction", 3);
    }

    @AfterAll
    void stopPooler() {
      if (pooler != null) {
        pooler.close();
      }
    }

    @Override
    protected StoreUnderTest newStore() {
      TestDatabase direct = Replica.tables(TestDatabase.on(TestDatabase.NEWEST));
      TestDatabase pooled =
          new TestDatabase(
              pooler.database().url(), direct.user(), direct.password(), direct.schema());
      SchemaName schema = new SchemaName(direct.schema());
      Database database = new Database(new KeptPool(pooled::connect, 1), pooled::connect, schema);
      LeaseRowElection election =
          new LeaseRowElection(
              new Surroundings(database, schema, Notices.none(), Ticker.system()),
              Dialect.PORTABLE,
              ElectionUnderTest.TIMING);
      return new ElectionUnderTest(direct, election, election, EnumSet.noneOf(Capability.class));
    }
  }
}
