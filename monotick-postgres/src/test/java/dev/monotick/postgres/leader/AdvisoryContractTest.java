package dev.monotick.postgres.leader;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.testkit.Capability;
import dev.monotick.testkit.LeaderElectionContract;
import dev.monotick.testkit.StoreUnderTest;
import java.util.EnumSet;
import org.junit.jupiter.api.Nested;

class AdvisoryContractTest {

  private abstract static class OnServer extends LeaderElectionContract {

    private final int major;

    OnServer(int major) {
      this.major = major;
    }

    @Override
    protected StoreUnderTest newStore() {
      TestDatabase database = Replica.tables(TestDatabase.on(major));
      Replica replica = new Replica(database);
      AdvisoryElection election = replica.advisory(ElectionUnderTest.TIMING);
      return new ElectionUnderTest(
          database,
          () -> {
            election.close();
            replica.close();
          },
          election,
          EnumSet.of(Capability.HINTS));
    }
  }

  @Nested
  class Oldest extends OnServer {

    Oldest() {
      super(TestDatabase.OLDEST);
    }
  }

  @Nested
  class Newest extends OnServer {

    Newest() {
      super(TestDatabase.NEWEST);
    }
  }
}
