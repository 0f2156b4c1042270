package dev.monotick.bench.postgres;

import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.UUID;

/**
 * Fills a ledger with ticks that ended, as it looks after a month, and cleans up between rounds.
 */
final class LedgerHistory {

  private static final int DAYS = 30;
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyyMMdd", Locale.ROOT);

  private final BenchServer server;
  private final String schema;

  LedgerHistory(BenchServer server, String schema) {
    this.server = server;
    this.schema = schema;
  }

  /** Adds so many rows, evenly over the last 30 days and over the tasks of {@link ClaimLoad}. */
  void fill(int rows) throws SQLException {
    LocalDate today = LocalDate.now(Clock.systemUTC());
    for (int back = 1; back < DAYS; back++) {
      LocalDate day = today.minusDays(back);
      String part = schema + ".tick_" + DAY.format(day);
      server.execute(
          String.format(
              Locale.ROOT,
              "create table if not exists %1$s"
                  + " (like %2$s.tick including defaults including constraints);"
                  + "alter table %2$s.tick attach partition %1$s"
                  + " for values from ('%3$s 00:00:00+00') to ('%4$s 00:00:00+00')",
              part,
              schema,
              day,
              day.plusDays(1)));
    }
    int step = Math.max(1, rows / 10);
    for (int from = 0; from < rows; from += step) {
      BenchmarkProgress.report(
          String.format(Locale.ROOT, "  history: %,d of %,d rows", from, rows));
      server.execute(insert(from, Math.min(rows, from + step), rows));
    }
    server.execute("vacuum analyze " + schema + ".tick");
  }

  private String insert(int from, int to, int rows) {
    return String.format(
        Locale.ROOT,
        "insert into %s.tick (task, nominal, last_nominal, status, outcome, claim_replica,"
            + " claim_number, effect, attempt, started_at, ended_at)"
            + " select 'bench-' || i %% %d, at, at, 'ENDED', 'SUCCEEDED', '%s', i, 'AT_MOST_ONCE',"
            + " 1, at, at + interval '20 milliseconds'"
            + " from generate_series(%d, %d - 1) as i,"
            + " lateral (select date_trunc('hour', now()) - i * (interval '%d hours' / %d)"
            + " - interval '1 hour' as at) as t",
        schema,
        ClaimLoad.TASKS,
        new UUID(0, 1),
        from,
        to,
        (DAYS - 1) * 24 - 1,
        rows);
  }

  /** Removes what a replica has claimed, so that each round finds the ledger as the first one. */
  void forget(UUID replica) throws SQLException {
    String today = DAY.format(LocalDate.now(Clock.systemUTC()));
    server.execute(
        "delete from "
            + schema
            + ".tick where claim_replica = '"
            + replica
            + "' and nominal > now() - interval '1 day'");
    server.execute("vacuum analyze " + schema + ".tick_" + today);
    server.execute("vacuum analyze " + schema + ".task");
  }

  long rows() throws SQLException {
    return Long.parseLong(server.ask("select count(*) from " + schema + ".tick"));
  }
}
