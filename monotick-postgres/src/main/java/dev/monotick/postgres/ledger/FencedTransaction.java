package dev.monotick.postgres.ledger;

import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.FinishRequest.Ended;
import dev.monotick.ledger.LeaderProof;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.ledger.TickRecord.Status;
import dev.monotick.ledger.TransactRequest;
import dev.monotick.ledger.internal.TickImage;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.store.StoreException;
import dev.monotick.task.Effect;
import dev.monotick.task.FencedException;
import dev.monotick.task.SqlWork;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction of a body that commits only while its tick is its own.
 *
 * <p>The proof is asked for at the end, right before the commit, and locked until then: the group's
 * fence in share mode, and the task's row. So a newer term, or whoever takes the replica for dead,
 * comes either before, and then everything is rolled back, or after the commit. Asked for at the
 * beginning it would have to be locked while the body works, and hold up every takeover. It is
 * looked at in the beginning as well, without a lock, to refuse early what would be refused anyway.
 */
final class FencedTransaction {

  private static final Logger log = LoggerFactory.getLogger(FencedTransaction.class);

  private final Tables tables;
  private final DatabaseClock clock;
  private final String identity;
  private volatile @Nullable UUID store;

  FencedTransaction(Tables tables, DatabaseClock clock) {
    this.tables = tables;
    this.clock = clock;
    this.identity = tables.database().sql("select id from @store");
  }

  void run(TransactRequest request, DataSource dataSource, SqlWork work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      requireSameStore(connection);
      look(request);
      connection.setAutoCommit(false);
      boolean committing = false;
      try {
        work.run(WorkConnection.of(connection));
        requireOpen(connection, request);
        prove(connection, request);
        committing = true;
        connection.commit();
      } catch (Throwable e) { // also what is not declared, or to restore would be to commit
        rollback(connection, e);
        if (!committing || !(e instanceof SQLException failure)) {
          throw e;
        }
        resolve(request, failure);
      } finally {
        restore(connection, autoCommit);
      }
    }
  }

  /** A fence in another database fences nothing. */
  private void requireSameStore(Connection connection) throws SQLException {
    UUID own = store;
    if (own == null) {
      own = tables.database().once("reading the store's identity", this::identity);
      store = own;
    }
    UUID theirs;
    try {
      theirs = identity(connection);
    } catch (SQLException e) {
      if (!SqlFailures.isRefusal(e)) {
        throw e;
      }
      throw new IllegalArgumentException(
          "dataSource leads to a database without the store's tables ("
              + SqlFailures.describe(e)
              + "); give one that leads to the store's own database, under a role that may use its"
              + " schema",
          e);
    }
    if (!own.equals(theirs)) {
      throw new IllegalArgumentException(
          "dataSource leads to the store "
              + theirs
              + " instead of "
              + own
              + ", where this tick is; give one that leads to the same database");
    }
  }

  private UUID identity(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(identity);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, UUID.class);
    }
  }

  /** Apart from the transaction, which would lock the table against its upkeep until it ends. */
  private void look(TransactRequest request) {
    TickId tick = request.tick();
    List<TickImage> rows =
        tables
            .database()
            .once(
                "looking at tick " + tick,
                connection -> tables.ticks().find(connection, List.of(tick)));
    requireOwn(request, rows.isEmpty() ? null : rows.get(0).row());
  }

  /** A body that committed has already had whatever it wrote after its last commit. */
  private static void requireOpen(Connection connection, TransactRequest request)
      throws SQLException {
    if (connection.isClosed() || connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the work of tick "
              + request.tick()
              + " ended its transaction by itself, so that it could not be fenced; leave commit,"
              + " rollback, close and setAutoCommit to fencedTransaction");
    }
  }

  /** Locks the proof until the commit. */
  private void prove(Connection connection, TransactRequest request) throws SQLException {
    Database.limitIdleness(connection); // whoever freezes from here on loses the locks
    LeaderProof leader = request.leader();
    if (leader != null && tables.fences().share(connection, List.of(leader)).refuses(leader)) {
      throw refusal(request.tick(), "a newer term has begun");
    }
    TickId tick = request.tick();
    TaskBatch batch = tables.load(connection, List.of(tick.task()), List.of(tick));
    requireOwn(request, record(batch, tick));
    if (request.effect() == Effect.TRANSACTIONAL) {
      // The body still runs, so the task stays occupied until it is reported to have ended.
      Ended success = new Ended(Outcome.SUCCEEDED, null, request.startedAt(), clock.now(), false);
      batch.task(tick.task()).finish(new FinishRequest(request.claim(), tick, success));
      batch.save();
    }
  }

  private static @Nullable TickRecord record(TaskBatch batch, TickId tick) {
    return batch.task(tick.task()).images().stream()
        .map(TickImage::row)
        .filter(row -> row.tick().equals(tick))
        .findFirst()
        .orElse(null);
  }

  private static void requireOwn(TransactRequest request, @Nullable TickRecord row) {
    if (row == null || row.status() != Status.RUNNING || !request.claim().equals(row.claim())) {
      throw refusal(
          request.tick(), row == null ? "it is not in the ledger" : "it is " + row.status());
    }
  }

  private static FencedException refusal(TickId tick, String why) {
    return new FencedException(
        "tick "
            + tick
            + " is no longer this replica's: "
            + why
            + "; its transaction was rolled back");
  }

  /**
   * The commit was not answered. Where the tick's success was part of it, the ledger knows; the
   * task's lock makes sure that it does not know it only a moment later.
   */
  private void resolve(TransactRequest request, SQLException failure) throws SQLException {
    if (request.effect() != Effect.TRANSACTIONAL || !SqlFailures.isConnectionFailure(failure)) {
      if (SqlFailures.isConnectionFailure(failure)) {
        throw new StoreException(
            "tick "
                + request.tick()
                + ": the connection was lost during the commit, so it is not known whether it"
                + " happened",
            failure);
      }
      throw failure;
    }
    TickId tick = request.tick();
    TickRecord row =
        tables
            .database()
            .inTransaction(
                "looking up the commit of " + tick,
                connection ->
                    record(tables.load(connection, List.of(tick.task()), List.of(tick)), tick));
    boolean committed =
        row != null && row.outcome() == Outcome.SUCCEEDED && request.claim().equals(row.claim());
    if (!committed) {
      throw failure;
    }
  }

  private static void rollback(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static void restore(Connection connection, boolean autoCommit) {
    try {
      if (!connection.isClosed()) {
        connection.setAutoCommit(autoCommit);
      }
    } catch (SQLException e) {
      log.debug("a broken connection is left to its pool", e); // what was done is done
    }
  }
}
