package dev.monotick.chaos.storm;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** How far a storm is, by the tables. One thread. */
final class StormProgress {

  private static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(90);

  private static final String POLL_INTERVAL =
      """
      select (select count(*) from storm.job_ready) + (select count(*) from storm.job_delayed)
               + (select count(*) from storm.job_blocked),
             (select count(*) from storm.job_claim c cross join lateral unnest(c.ids, c.runs) as u(id, run)
               where not exists (select from storm.job_attempt a where a.job_id = u.id and a.run = u.run)
                 and not exists (select from watch.purged p where p.id = u.id)),
             (select coalesce(last_value, 0) from pg_sequences where schemaname = 'watch' and sequencename = 'run_number_seq')
      """;

  private final Connection connection;
  private long waiting;
  private long claimed;
  private long words;
  private long movedNanos = System.nanoTime();

  StormProgress(Connection connection) {
    this.connection = connection;
  }

  static boolean isOver(Connection connection, String schema) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(StormTables.in(schema, POLL_INTERVAL))) {
      row.next();
      return row.getLong(1) == 0 && row.getLong(2) == 0;
    }
  }

  void poll() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(POLL_INTERVAL)) {
      row.next();
      waiting = row.getLong(1);
      claimed = row.getLong(2);
      if (row.getLong(3) != words) {
        movedNanos = System.nanoTime();
      }
      words = row.getLong(3);
    }
  }

  /** Says whether nothing waits and nothing is claimed. */
  boolean isEmpty() {
    return waiting == 0 && claimed == 0;
  }

  /** Says whether no handler has done anything for long. */
  boolean standsStill() {
    return System.nanoTime() - movedNanos > LONGEST_STANDSTILL.toNanos();
  }

  @Override
  public String toString() {
    return "waiting " + waiting + ", claimed " + claimed + ", runs about " + words / 2;
  }
}
