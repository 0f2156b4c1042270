package dev.monotick.postgres.leader;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.notify.PresenceSession;
import dev.monotick.postgres.schema.Migrations;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.Ticker;
import java.time.Duration;
import java.util.UUID;

/** What one process would have: its connections, notices and election. */
final class Replica implements AutoCloseable {

  final MemberId id = MemberId.random();
  final Database database;
  final PresenceSession notices;
  final ElectionContext surroundings;

  Replica(TestDatabase server) {
    this(server::connect, new SchemaName(server.schema()));
  }

  Replica(ConnectionSource source, SchemaName schema) {
    database = new Database(new KeptPool(source, 2), source, schema);
    notices = PresenceSession.start(database, schema, UUID.randomUUID());
    surroundings = new ElectionContext(database, schema, notices, Ticker.system());
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
