package dev.monotick.postgres.leader;

import dev.monotick.leader.LeaseTiming;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.notice.SessionNotices;
import dev.monotick.postgres.schema.Migrations;
import dev.monotick.replica.ReplicaId;
import dev.monotick.time.Ticker;
import java.time.Duration;
import java.util.UUID;

/** What one process would have: its connections, notices and election. */
final class Replica implements AutoCloseable {

  final ReplicaId id = ReplicaId.random();
  final Database database;
  final SessionNotices notices;
  final Surroundings surroundings;

  Replica(TestDatabase server) {
    this(server::connect, new SchemaName(server.schema()));
  }

  Replica(ConnectionSource source, SchemaName schema) {
    database = new Database(new KeptPool(source, 2), source, schema);
    notices = SessionNotices.start(database, schema, UUID.randomUUID());
    surroundings = new Surroundings(database, schema, notices, Ticker.system());
    try {
      if (!notices.awaitOpen(Duration.ofSeconds(20))) {
        throw new AssertionError("no session");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  AdvisoryElection advisory(LeaseTiming timing) {
    return new AdvisoryElection(surroundings, timing);
  }

  LeaseRowElection leaseRow(LeaseTiming timing) {
    return new LeaseRowElection(surroundings, Dialect.POSTGRES, timing);
  }

  /** Creates the tables in the schema of that database. */
  static TestDatabase tables(TestDatabase server) {
    Migrations.of(server::connect, new SchemaName(server.schema())).migrate();
    return server;
  }

  @Override
  public void close() {
    notices.close();
  }
}
