package dev.monotick.postgres.ledger;

import dev.monotick.error.FencedException;
import dev.monotick.error.StoreException;
import dev.monotick.internal.ledger.TickImage;
import dev.monotick.postgres.connection.FenceCheckedTransaction;
import dev.monotick.postgres.connection.SqlFailures;
import dev.monotick.spi.tick.FencedWork;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import dev.monotick.work.Effect;
import dev.monotick.work.SqlWork;
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

  private final LedgerTables tables;
  private final DatabaseClock clock;
  private final FenceCheckedTransaction transaction;

  FencedTransaction(LedgerTables tables, DatabaseClock clock) {
    this.tables = tables;
    this.clock = clock;
    this.transaction = new FenceCheckedTransaction(tables.database());
  }

  void run(FencedWork request, DataSource dataSource, SqlWork work) throws SQLException {
    transaction.run(dataSource, work, new TickProof(request));
  }

  /** That the tick is still whose claim it was. */
  private final class TickProof implements FenceCheckedTransaction.Proof {

    private final FencedWork request;

    TickProof(FencedWork request) {
      this.request = request;
    }

    @Override
    public String subject() {
      return "tick " + request.tick();
    }

    @Override
    public void refuseEarly() {
      FencedTransaction.this.refuseEarly(request);
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
  private void refuseEarly(FencedWork request) {
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
  private void prove(Connection connection, FencedWork request) throws SQLException {
    LeaderProof leader = request.leader();
    if (leader != null && tables.fences().share(connection, List.of(leader)).refuses(leader)) {
      throw refusal(request.tick(), "a newer term has begun");
    }
    TickId tick = request.tick();
    SeriesBatch batch = tables.load(connection, List.of(tick.task()), List.of(tick));
    requireOwn(request, record(batch, tick));
    if (request.effect() == Effect.TRANSACTIONAL) {
      // The body still runs, so the task stays occupied until it is reported to have ended.
      Ended success = new Ended(Outcome.SUCCEEDED, null, request.startedAt(), clock.now(), false);
      batch.task(tick.task()).finish(new TickReport(request.claim(), tick, success));
      batch.save();
    }
  }

  private static @Nullable TickRecord record(SeriesBatch batch, TickId tick) {
    return batch.task(tick.task()).images().stream()
        .map(TickImage::row)
        .filter(row -> row.tick().equals(tick))
        .findFirst()
        .orElse(null);
  }

  private static void requireOwn(FencedWork request, @Nullable TickRecord row) {
    if (row == null
        || row.status() != Status.RUNNING
        || !request.claim().equals(TickClaimId.of(row.claim()))) {
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
  private void resolve(FencedWork request, SQLException failure) throws SQLException {
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
        row != null
            && row.outcome() == Outcome.SUCCEEDED
            && request.claim().equals(TickClaimId.of(row.claim()));
    if (!committed) {
      throw failure;
    }
  }
}
