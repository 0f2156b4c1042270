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
import dev.monotick.postgres.connection.ProvenTransaction;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.store.StoreException;
import dev.monotick.task.Effect;
import dev.monotick.task.FencedException;
import dev.monotick.task.SqlWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

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

  private final Tables tables;
  private final DatabaseClock clock;
  private final ProvenTransaction transaction;

  FencedTransaction(Tables tables, DatabaseClock clock) {
    this.tables = tables;
    this.clock = clock;
    this.transaction = new ProvenTransaction(tables.database());
  }

  void run(TransactRequest request, DataSource dataSource, SqlWork work) throws SQLException {
    transaction.run(dataSource, work, new TickProof(request));
  }

  /** That the tick is still whose claim it was. */
  private final class TickProof implements ProvenTransaction.Proof {

    private final TransactRequest request;

    TickProof(TransactRequest request) {
      this.request = request;
    }

    @Override
    public String subject() {
      return "tick " + request.tick();
    }

    @Override
    public void look() {
      FencedTransaction.this.look(request);
    }

    @Override
    public void prove(Connection connection) throws SQLException {
      FencedTransaction.this.prove(connection, request);
    }

    @Override
    public void resolve(SQLException failure) throws SQLException {
      FencedTransaction.this.resolve(request, failure);
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

  /** Locks the proof until the commit. */
  private void prove(Connection connection, TransactRequest request) throws SQLException {
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
}
