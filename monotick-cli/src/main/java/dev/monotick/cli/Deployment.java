package dev.monotick.cli;

import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A deployment of replicas as its tables show it. Reads only, but for {@link #kick}. */
final class Deployment implements AutoCloseable {

  private final Connection connection;
  private final SchemaName schema;

  /** Who leads a group: the newest fence, and a beat that goes on while somebody does. */
  record Lease(
      String holder, String name, long timeline, long epoch, long heartbeat, boolean released) {

    boolean isNewerThan(Lease other) {
      return timeline > other.timeline || (timeline == other.timeline && epoch > other.epoch);
    }
  }

  /** A task, and up to which nominal time it is accounted for. */
  record TaskCursor(String task, String schedule, Instant cursor) {}

  /**
   * Ticks of a task between two cursors.
   *
   * @param accounted how many
   * @param outcomes how many by outcome
   * @param claimedAgain how many of those that may run once were claimed more than once
   */
  record Ticks(long accounted, Map<String, Long> outcomes, long claimedAgain) {}

  private Deployment(Connection connection, SchemaName schema) {
    this.connection = connection;
    this.schema = schema;
  }

  /**
   * Connects.
   *
   * @throws IllegalArgumentException with a sentence for people if that is not possible, or there
   *     are no tables of Monotick
   */
  static Deployment connect(
      String url, @Nullable String user, @Nullable String password, String schema) {
    SchemaName name = new SchemaName(schema);
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", "monotick drill");
    properties.setProperty("connectTimeout", "10");
    properties.setProperty("socketTimeout", "30");
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", password);
    }
    try {
      Deployment deployment = new Deployment(DriverManager.getConnection(url, properties), name);
      deployment.requireTables();
      return deployment;
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "cannot connect to the database: "
              + e.getMessage()
              + "; check --url and --user, and PGPASSWORD in the environment",
          e);
    }
  }

  private void requireTables() throws SQLException {
    boolean found =
        !query("select 1 where to_regclass(?) is not null", row -> row.getInt(1), table("tick"))
            .isEmpty();
    if (!found) {
      connection.close();
      throw new IllegalArgumentException(
          "there are no tables of Monotick in schema "
              + schema.text()
              + " of this database; name the right one by --schema, or start a replica first");
    }
  }

  Instant now() throws SQLException {
    return query("select clock_timestamp()", row -> instant(row, 1)).get(0);
  }

  /** Returns the names of replicas that live, as far as the tables tell. */
  List<String> replicas() throws SQLException {
    return query(
        "select name from " + table("replica") + " where gone_at is null order by name",
        row -> row.getString(1));
  }

  Optional<Lease> lease(String group) throws SQLException {
    return query(
            "select holder, coalesce(holder_name, holder::text), timeline, epoch, heartbeat, released from "
                + table("lease")
                + " where group_name = ?",
            row ->
                new Lease(
                    row.getString(1),
                    row.getString(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5),
                    row.getBoolean(6)),
            group)
        .stream()
        .findFirst();
  }

  /** Returns the server process of the session that holds the lease of a group, if one does. */
  Optional<Integer> leaseSession(String group) throws SQLException {
    long key = LockKey.of(schema, "leader", group).value();
    return query(
            "select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 1"
                + " and database = (select oid from pg_database where datname = current_database())"
                + " and ((classid::bigint << 32) | objid::bigint) = ?",
            row -> row.getInt(1),
            key)
        .stream()
        .findFirst();
  }

  /** Has the server end a session; false if it was gone. */
  boolean kick(int session) throws SQLException {
    return query("select pg_terminate_backend(?)", row -> row.getBoolean(1), session).get(0);
  }

  List<TaskCursor> cursors() throws SQLException {
    return query(
        "select name, schedule, cursor_at from " + table("task") + " order by name",
        row -> new TaskCursor(row.getString(1), row.getString(2), instant(row, 3)));
  }

  /** Returns how many ticks up to a time have no outcome. */
  long open(Instant until) throws SQLException {
    return query(
            "select count(*) from " + table("tick") + " where status <> 'ENDED' and nominal <= ?",
            row -> row.getLong(1),
            OffsetDateTime.ofInstant(until, ZoneOffset.UTC))
        .get(0);
  }

  Ticks ticks(String task, Instant after, Instant until) throws SQLException {
    Map<String, Long> outcomes = new LinkedHashMap<>();
    long[] sums = new long[2];
    query(
        "select coalesce(outcome, status), sum(count)::bigint,"
            + " count(*) filter (where attempt > 1 and effect = 'AT_MOST_ONCE') from "
            + table("tick")
            + " where task = ? and trigger_key = '' and nominal > ? and nominal <= ? group by 1",
        row -> {
          outcomes.put(row.getString(1), row.getLong(2));
          sums[0] += row.getLong(2);
          sums[1] += row.getLong(3);
          return 0;
        },
        task,
        OffsetDateTime.ofInstant(after, ZoneOffset.UTC),
        OffsetDateTime.ofInstant(until, ZoneOffset.UTC));
    return new Ticks(sums[0], outcomes, sums[1]);
  }

  /** Returns how many runs of jobs ended in a stretch of time. */
  long jobRuns(Instant from, Instant until) throws SQLException {
    return query(
            "select count(*) from " + table("job_attempt") + " where ended_at between ? and ?",
            row -> row.getLong(1),
            OffsetDateTime.ofInstant(from, ZoneOffset.UTC),
            OffsetDateTime.ofInstant(until, ZoneOffset.UTC))
        .get(0);
  }

  /** Returns how many jobs succeeded more than once, of those that ended in a stretch of time. */
  long jobsDoubled(Instant from, Instant until) throws SQLException {
    return query(
            "select count(*) from (select job_id from "
                + table("job_attempt")
                + " where outcome = 0 and job_id in (select job_id from "
                + table("job_attempt")
                + " where ended_at between ? and ?) group by job_id having count(*) > 1) as d",
            row -> row.getLong(1),
            OffsetDateTime.ofInstant(from, ZoneOffset.UTC),
            OffsetDateTime.ofInstant(until, ZoneOffset.UTC))
        .get(0);
  }

  /** Returns how many batches of jobs are still claimed by replicas that are gone. */
  long jobsLeftBehind() throws SQLException {
    return query(
            "select count(*) from "
                + table("job_claim")
                + " c where not exists (select from "
                + table("replica")
                + " r where r.id = c.replica and r.gone_at is null)",
            row -> row.getLong(1))
        .get(0);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  private String table(String name) {
    return "\"" + schema.text() + "\"." + name;
  }

  /** Reads a row. */
  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> List<T> query(String sql, Reader<T> reader, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        List<T> found = new ArrayList<>();
        while (row.next()) {
          found.add(reader.read(row));
        }
        return found;
      }
    }
  }

  private static Instant instant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }
}
