package dev.monotick.postgres.job.admin;

import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.job.Lane;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.SqlFunction;
import dev.monotick.postgres.job.notify.JobStoreSignals;
import dev.monotick.postgres.job.row.BoundValues;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Pauses, limits, weights and retentions. Each change raises the version in the same transaction:
 * replicas compare it whenever they claim, and read all of this again if it grew. Thread-safe.
 */
public final class JobRuleChanges {

  /** How many jobs that a limit held back are let go in one transaction. */
  private static final int BATCH = 5_000;

  private static final Duration SHORTEST_RETENTION = Duration.ofDays(1);
  private static final Duration LONGEST_RETENTION = Duration.ofDays(36_500);
  private static final int HEAVIEST = 1_000_000;

  private final Database database;
  private final JobStoreSignals signals;

  public JobRuleChanges(Database database, JobStoreSignals hints) {
    this.database = database;
    this.signals = hints;
  }

  /** See {@link dev.monotick.spi.job.JobStore#pause}. */
  public void pause(JobPause pause) {
    change(
        "pausing " + pause.name(),
        """
        insert into @job_pause (of, name, by, note, since) values (?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        pause.of().name(),
        BoundValues.text(pause.name()),
        BoundValues.text(pause.by()),
        BoundValues.text(pause.note()),
        OffsetDateTime.ofInstant(pause.since().truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC));
  }

  /** See {@link dev.monotick.spi.job.JobStore#resume}. */
  public boolean resume(JobPause.Of of, String name) {
    boolean resumed =
        change(
            "resuming " + name,
            "delete from @job_pause where of = ? and name = ?",
            of.name(),
            name);
    if (resumed) {
      signals.queuesReady(of == JobPause.Of.QUEUE ? Set.of(name) : queuesOf(name));
    }
    return resumed;
  }

  /** See {@link dev.monotick.spi.job.JobStore#pauses}. */
  public List<JobPause> pauses() {
    return list(
        "reading pauses",
        "select of, name, by, note, since from @job_pause order by of, name",
        row ->
            new JobPause(
                JobPause.Of.valueOf(row.getString(1)),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getObject(5, OffsetDateTime.class).toInstant()));
  }

  /**
   * See {@link dev.monotick.spi.job.JobStore#limit}. Keeps the number of the limit, and so what
   * runs hold of it; runs under way that it did not count are counted. Jobs that waited for another
   * run of their key may wait for nothing now, so all stand in line again.
   */
  public void limit(JobLimit limit) {
    Optional<JobLimit.Rate> rate = limit.rate();
    JobLimit.Scope scope = limit.scope();
    boolean unused =
        database.inTransaction(
            "limiting " + scope,
            connection ->
                execute(
                    connection,
                    "select @job_set_limit(?, ?, ?, ?::integer, ?::integer, ?::bigint)",
                    scope.kind(),
                    scope.tenant(),
                    scope.perKey(),
                    limit.running(),
                    rate.map(JobLimit.Rate::count),
                    rate.map(value -> millis(value.period()))));
    letGo(scope);
  }

  /** See {@link dev.monotick.spi.job.JobStore#removeLimit}. */
  public boolean removeLimit(JobLimit.Scope scope) {
    boolean removed =
        database.inTransaction(
            "removing the limit on " + scope,
            connection ->
                execute(
                    connection,
                    "select from @job_drop_limit(?, ?, ?) as removed where removed",
                    scope.kind(),
                    scope.tenant(),
                    scope.perKey()));
    if (removed) {
      letGo(scope);
    }
    return removed;
  }

  /** See {@link dev.monotick.spi.job.JobStore#limits}. */
  public List<JobLimit> limits() {
    return list(
        "reading limits",
        """
        select kind, tenant, per_key, running, rate_count, rate_millis
          from @job_limit order by kind, tenant, per_key
        """,
        row -> {
          Integer running = row.getObject(4, Integer.class);
          Integer count = row.getObject(5, Integer.class);
          Duration period = Duration.ofMillis(row.getLong(6));
          return new JobLimit(
              new JobLimit.Scope(row.getString(1), row.getString(2), row.getBoolean(3)),
              Optional.ofNullable(running),
              Optional.ofNullable(count).map(value -> new JobLimit.Rate(value, period)));
        });
  }

  /** See {@link dev.monotick.spi.job.JobStore#setTenantWeight}. */
  public void setTenantWeight(String tenant, int weight) {
    if (weight < 1 || weight > HEAVIEST) {
      throw new IllegalArgumentException(
          "weight must be between 1 and " + HEAVIEST + ", but was " + weight);
    }
    change(
        "weighing tenant " + tenant,
        """
        insert into @job_tenant (tenant, weight) values (?, ?)
        on conflict (tenant) do update set weight = excluded.weight
        """,
        BoundValues.text(tenant),
        weight);
  }

  /** See {@link dev.monotick.spi.job.JobStore#retain}. Part of a day counts as a day. */
  public void retain(String queue, String tenant, Duration retention) {
    if (retention.compareTo(SHORTEST_RETENTION) < 0 || retention.compareTo(LONGEST_RETENTION) > 0) {
      throw new IllegalArgumentException(
          "retention must be between 1 and 36500 days, but was " + retention);
    }
    requireLane(queue, tenant);
    long days = retention.plusDays(1).minusNanos(1).toDays();
    change(
        "setting the retention of queue " + queue,
        """
        insert into @job_retention (queue, tenant, days) values (?, ?, ?)
        on conflict (queue, tenant) do update set days = excluded.days, scanned_to = 0
        """,
        queue,
        tenant,
        (int) days);
  }

  /** Names that no lane can have would do nothing for ever. */
  private static void requireLane(String queue, String tenant) {
    Lane unused = new Lane(queue.isEmpty() ? "any" : queue, "any", tenant, 0);
  }

  /** Lets jobs go that waited for a run of their key. What a crash leaves is let go by upkeep. */
  private void letGo(JobLimit.Scope scope) {
    Set<String> queues = new TreeSet<>();
    for (boolean more = true; more; ) {
      List<String> found =
          database.inTransaction("letting jobs go", connection -> letGo(connection, scope));
      queues.addAll(found);
      more = found.size() == BATCH;
    }
    signals.queuesReady(queues.isEmpty() ? queuesOf(scope.kind()) : queues);
  }

  private List<String> letGo(Connection connection, JobLimit.Scope scope) throws SQLException {
    String sql =
        database.sql(
            """
            with free as materialized (
              select b.ctid as place from @job_blocked b
               where b.lane in (select l.id from @job_lane l where l.kind = ?)
                 and (b.limit_id in (select i.id from @job_limit i
                                      where i.kind = ? and i.tenant = ? and i.per_key = ?)
                      or not exists (select from @job_limit i where i.id = b.limit_id))
               limit ? for update of b skip locked),
            gone as (
              delete from @job_blocked where ctid = any (array(select place from free))
              returning id, ready_at, lane, run, attempt, flags),
            ready as (
              insert into @job_ready (id, ready_at, lane, run, attempt, flags)
              select id, ready_at, -abs(lane), run, attempt, flags from gone)
            select l.queue from gone join @job_lane l on l.id = abs(gone.lane)
            """);
    List<String> queues = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(
          statement,
          new Object[] {scope.kind(), scope.kind(), scope.tenant(), scope.perKey(), BATCH});
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          queues.add(row.getString(1));
        }
      }
    }
    return queues;
  }

  private Set<String> queuesOf(String kind) {
    return Set.copyOf(
        database.inTransaction(
            "reading the queues of kind " + kind,
            connection -> {
              List<String> queues = new ArrayList<>();
              try (PreparedStatement statement =
                  connection.prepareStatement(
                      database.sql(
                          "select distinct queue from @job_lane where kind = ? or ? = ''"))) {
                statement.setString(1, kind);
                statement.setString(2, kind);
                try (ResultSet row = statement.executeQuery()) {
                  while (row.next()) {
                    queues.add(row.getString(1));
                  }
                }
              }
              return queues;
            }));
  }

  /** Raises the version first: whoever changes anything waits for whoever does, in one place. */
  private boolean change(String what, String sql, Object... values) {
    return database.inTransaction(
        what,
        connection -> {
          try (PreparedStatement version =
              connection.prepareStatement(
                  database.sql("update @job_rules_version set version = version + 1"))) {
            version.executeUpdate();
          }
          return execute(connection, sql, values);
        });
  }

  /** Says whether there was a row, or one was changed. */
  private boolean execute(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(database.sql(sql))) {
      set(statement, values);
      if (statement.execute()) {
        try (ResultSet row = statement.getResultSet()) {
          return row.next();
        }
      }
      return statement.getUpdateCount() > 0;
    }
  }

  private static void set(PreparedStatement statement, Object[] values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      Object value = values[i] instanceof Optional<?> optional ? optional.orElse(null) : values[i];
      if (value == null) {
        statement.setNull(i + 1, Types.BIGINT);
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }

  private <T> List<T> list(String what, String sql, RowReader<T> reader) {
    SqlFunction<List<T>> read =
        connection -> {
          List<T> found = new ArrayList<>();
          try (PreparedStatement statement = connection.prepareStatement(database.sql(sql));
              ResultSet row = statement.executeQuery()) {
            while (row.next()) {
              found.add(reader.read(row));
            }
          }
          return List.copyOf(found);
        };
    return database.inTransaction(what, read);
  }

  /** Makes something of a row. */
  private interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static long millis(Duration period) {
    return Math.max(1, period.toMillis());
  }
}
