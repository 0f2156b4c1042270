package dev.monotick.postgres.leader;

import dev.monotick.error.StoreException;
import dev.monotick.leader.Fence;
import dev.monotick.postgres.ServerTime;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.replica.LeaseTiming;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** Some replicas on one schema, what an administrator can do to them, and a stop watch. */
final class Cluster implements AutoCloseable {

  static final String GROUP = "default";

  /** Short, so that tests are, but long enough for a machine that has more to do. */
  static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofMillis(2500),
          Duration.ofMillis(300),
          Duration.ofMillis(800),
          Duration.ofMillis(250));

  final TestDatabase server;
  private final SchemaName schema;
  private final List<AutoCloseable> resources = new ArrayList<>();

  Cluster(TestDatabase server) {
    this.server = Replica.tables(server);
    this.schema = new SchemaName(server.schema());
  }

  /** One process, as others see it. */
  final class Member {

    final Replica replica = new Replica(server);
    private final AdvisoryElection election;
    final Candidacy candidacy;

    Member(LeaseTiming timing) {
      election = replica.advisory(timing);
      candidacy = election.candidate(GROUP, replica.id, timing);
      resources.add(this::kill);
      awaitTrue("presence of " + replica.id, replica.notices::isPresent);
    }

    /** Ends all its connections, as the end of its process does. */
    void kill() {
      election.close();
      replica.close();
    }
  }

  Member member() {
    return member(TIMING);
  }

  Member member(LeaseTiming timing) {
    return new Member(timing);
  }

  /** Returns the server process that holds the lock of the group. */
  OptionalInt leaderSession() {
    return holder(LockKey.of(schema, "leader", GROUP));
  }

  OptionalInt presenceSession(Member member) {
    return holder(new LockKey(member.replica.notices.presenceKey().orElseThrow()));
  }

  private OptionalInt holder(LockKey key) {
    String sql =
        "select pid from pg_locks where locktype = 'advisory' and objsubid = 1"
            + " and ((classid::bigint << 32) | objid::bigint) = "
            + key.sql();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  void terminate(int session) {
    server.execute("select pg_terminate_backend(" + session + ")");
  }

  /** Tries until a term begins, and returns it. */
  static Fence awaitTerm(Candidacy candidacy) {
    Duration limit = TIMING.leaseDuration().multipliedBy(5);
    long start = System.nanoTime();
    while (System.nanoTime() - start < limit.toNanos()) {
      Optional<Fence> term = attempt(candidacy);
      if (term.isPresent()) {
        return term.get();
      }
      ServerTime.pass(Duration.ofMillis(20));
    }
    throw new AssertionError("no term in " + limit);
  }

  /** Tries once; no answer is no term, as it is to the engine. */
  static Optional<Fence> attempt(Candidacy candidacy) {
    try {
      return candidacy.tryAcquire();
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  static void awaitTrue(String what, BooleanSupplier condition) {
    for (int tries = 0; !condition.getAsBoolean(); tries++) {
      if (tries == 1000) {
        throw new AssertionError("not in 20 s: " + what);
      }
      ServerTime.pass(Duration.ofMillis(20));
    }
  }

  static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Override
  public void close() {
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    server.close();
  }
}
