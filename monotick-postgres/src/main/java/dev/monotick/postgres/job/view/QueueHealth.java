package dev.monotick.postgres.job.view;

import dev.monotick.postgres.connection.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What makes queues in a database slow, with the name of who does it. Rows of hot tables live for
 * moments, and vacuum removes them afterwards, but none that the oldest open snapshot may still
 * see, wherever that is open. Read by statistics and indexes only, so it may be asked every few
 * seconds. A role that may not see the sessions of others is told their process and application all
 * the same. Thread-safe.
 */
public final class QueueHealth {

  /**
   * Reads all at once.
   *
   * @param holders who keeps old rows from being removed, the oldest first; at most ten
   * @param tables the hot tables
   * @param oldestReady how long the job that waits longest for a replica has been ready; empty if
   *     none waits
   */
  public record Report(List<Holder> holders, List<Table> tables, Optional<Duration> oldestReady) {

    /** Copies the lists. */
    public Report {
      holders = List.copyOf(holders);
      tables = List.copyOf(tables);
    }
  }

  /** What can keep old rows. */
  public enum Kind {
    /** A transaction of a session. */
    SESSION,
    /** A standby that wants its queries not to be disturbed. */
    STANDBY,
    /** A replication slot, whether or not anybody uses it. */
    SLOT,
    /** A transaction that was prepared, and neither committed nor rolled back. */
    PREPARED
  }

  /**
   * Somebody who may still look at old rows.
   *
   * @param kind what it is
   * @param name the process of a session, the name of a slot or prepared transaction
   * @param detail application, state or owner, as far as this role may know
   * @param transactions how many transactions have begun since
   * @param since when it began, if that is known
   */
  public record Holder(
      Kind kind, String name, String detail, long transactions, Optional<Instant> since) {}

  /**
   * A table, by the server's own estimates.
   *
   * @param name its name
   * @param live rows
   * @param dead rows that are not removed yet
   * @param vacuumedAt when they last were
   */
  public record Table(String name, long live, long dead, Optional<Instant> vacuumedAt) {}

  private static final String HOLDERS =
      """
      select kind, name, detail, age, since from (
        select case when r.pid is null then 'SESSION' else 'STANDBY' end as kind,
               a.pid::text as name,
               concat_ws(', ', nullif(a.application_name, ''), a.usename, a.datname, a.state) as detail,
               age(a.backend_xmin)::bigint as age, a.xact_start as since
          from pg_catalog.pg_stat_activity a
          left join pg_catalog.pg_stat_replication r on r.pid = a.pid
         where a.backend_xmin is not null and a.pid <> pg_backend_pid()
           and (a.datid is null or r.pid is not null
                or a.datid = (select oid from pg_catalog.pg_database
                               where datname = current_database()))
        union all
        select 'SLOT', slot_name,
               concat_ws(', ', slot_type, plugin, case when active then 'active' else 'inactive' end),
               age(xmin)::bigint, null
          from pg_catalog.pg_replication_slots
         where xmin is not null
        union all
        select 'PREPARED', gid, concat_ws(', ', owner, database), age(transaction)::bigint, prepared
          from pg_catalog.pg_prepared_xacts
         where database = current_database()) h
       order by age desc, name limit 10
      """;

  private static final String TABLES =
      """
      select relname, n_live_tup, n_dead_tup, greatest(last_vacuum, last_autovacuum)
        from pg_catalog.pg_stat_all_tables
       where relid in ('@job_ready'::regclass, '@job_claim'::regclass, '@job_delayed'::regclass,
                       '@job_count_delta'::regclass, '@job_unique'::regclass, '@job_limit_use'::regclass,
                       '@job_limit_hold'::regclass, '@job_run'::regclass)
       order by relname
      """;

  /**
   * In the head of a lane numbers say nothing about time, but little is there for long. In the lane
   * itself it begins where no job is below, and so not with the dead rows that it is asked about.
   */
  private static final String OLDEST =
      """
      select (extract(epoch from clock_timestamp() - min(r.ready_at)) * 1000000)::bigint
        from @job_lane l
       cross join lateral (
         (select ready_at from @job_ready
           where lane = l.id
             and id >= coalesce((select s.watermark from @job_scan s where s.lane = l.id), 0)
           order by id limit 1)
         union all
         (select ready_at from @job_ready where lane = - l.id order by id limit 100)) r
      """;

  private final Database database;

  public QueueHealth(Database database) {
    this.database = database;
  }

  public Report read() {
    return database.inTransaction(
        "reading the health of the tables of jobs",
        connection -> new Report(holders(connection), tables(connection), oldestReady(connection)));
  }

  private List<Holder> holders(Connection connection) throws SQLException {
    List<Holder> holders = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(database.sql(HOLDERS));
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        holders.add(
            new Holder(
                Kind.valueOf(row.getString(1)),
                row.getString(2),
                row.getString(3),
                row.getLong(4),
                time(row, 5)));
      }
    }
    return holders;
  }

  private List<Table> tables(Connection connection) throws SQLException {
    List<Table> tables = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(database.sql(TABLES));
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        tables.add(new Table(row.getString(1), row.getLong(2), row.getLong(3), time(row, 4)));
      }
    }
    return tables;
  }

  private Optional<Duration> oldestReady(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(database.sql(OLDEST));
        ResultSet row = statement.executeQuery()) {
      row.next();
      long micros = row.getLong(1);
      return row.wasNull()
          ? Optional.empty()
          : Optional.of(Duration.ofNanos(Math.max(0, micros) * 1000));
    }
  }

  private static Optional<Instant> time(ResultSet row, int column) throws SQLException {
    return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }
}
