package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Sums up how many jobs there are. Whoever changes jobs adds a row that says by how much, so that
 * nobody waits for anybody; this adds those rows to the sums, in the same transaction in which it
 * deletes them. Of many callers one works. Thread-safe.
 */
public final class JobCountFolder {

  /** How many pieces one call does at most, so that it ends whatever there is to do. */
  private static final int PIECES = 20;

  /** How many changes of counts are summed up at once. */
  private static final int CHANGES = 10_000;

  private static final String SUM_UP =
      """
      with mine as materialized (
        select pg_try_advisory_xact_lock(hashtextextended('monotick counts ' || '@job_count'::regclass::oid, 0)) as held),
      gone as (
        delete from @job_count_delta where ctid = any (array(
          select d.ctid from @job_count_delta d where (select held from mine)
           limit %d for update skip locked))
        returning lane, waiting, ready, running, succeeded, failed, dead, ended),
      summed as (
        insert into @job_count as c
               (lane, waiting, ready, running, succeeded, failed, dead, ended)
        select lane, sum(waiting), sum(ready), sum(running), sum(succeeded), sum(failed), sum(dead),
               sum(ended)
          from gone group by lane order by lane
        on conflict (lane) do update
           set waiting = c.waiting + excluded.waiting, ready = c.ready + excluded.ready,
               running = c.running + excluded.running,
               succeeded = c.succeeded + excluded.succeeded, failed = c.failed + excluded.failed,
               dead = c.dead + excluded.dead, ended = c.ended + excluded.ended)
      select count(*) from gone
      """;

  private final Database database;
  private final String sumUp;

  /** Creates one. */
  public JobCountFolder(Database database) {
    this.database = database;
    this.sumUp = database.sql(SUM_UP.formatted(CHANGES));
  }

  /**
   * Adds the latest changes to the sums, and returns how many changes those were. To be called
   * every few seconds; if nobody does, asking for counts takes longer.
   *
   * @throws dev.monotick.error.StoreException if the database did not answer
   */
  public long run() {
    long total = 0;
    for (int i = 0; i < PIECES; i++) {
      long changes = database.once("summing up jobs", this::piece);
      total += changes;
      if (changes < CHANGES) {
        break;
      }
    }
    return total;
  }

  private long piece(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sumUp);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }
}
