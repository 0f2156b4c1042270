package dev.monotick.postgres.ledger;

import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The statements on the table of tasks. Thread-safe: has no state but the text of its SQL. */
final class SeriesTable {

  /** The columns of {@link #read}, in its order. */
  static final String COLUMNS =
      "t.name, t.schedule, t.cursor_at, t.open, t.queued, t.failures, t.last_failure_at,"
          + " t.last_ended_at, t.last_success_at, t.paused_by, t.pause_note, t.paused_at";

  static final int COLUMN_COUNT = 12;

  private final String select;
  private final String lock;
  private final String insert;
  private final String update;

  /** A task as it is stored. */
  record Stored(SeriesState state, String schedule) {}

  SeriesTable(Database database) {
    select = database.sql("select " + COLUMNS + " from @task t where t.name = any (?)");
    // Always in the same order, so that two batches of the same tasks wait and do not deadlock.
    lock = select + " order by t.name for update of t";
    insert =
        database.sql(
            "insert into @task (name, schedule, cursor_at)"
                + " select * from unnest(?::text[], ?::text[], ?::timestamptz[])"
                + " on conflict (name) do nothing");
    update =
        database.sql(
            "update @task t set schedule = u.schedule, cursor_at = u.cursor_at, open = u.open,"
                + " queued = u.queued, failures = u.failures, last_failure_at = u.last_failure_at,"
                + " last_ended_at = u.last_ended_at, last_success_at = u.last_success_at,"
                + " paused_by = u.paused_by, pause_note = u.pause_note, paused_at = u.paused_at"
                + " from unnest(?::text[], ?::text[], ?::timestamptz[], ?::integer[],"
                + " ?::integer[], ?::integer[], ?::timestamptz[], ?::timestamptz[],"
                + " ?::timestamptz[], ?::text[], ?::text[], ?::timestamptz[])"
                + " as u(name, schedule, cursor_at, open, queued, failures, last_failure_at,"
                + " last_ended_at, last_success_at, paused_by, pause_note, paused_at)"
                + " where t.name = u.name");
  }

  /** Returns those of the tasks that are known. */
  List<Stored> select(Connection connection, Collection<String> names) throws SQLException {
    return query(connection, select, names);
  }

  /** Returns those of the tasks that are known, and keeps everybody else from changing them. */
  List<Stored> lock(Connection connection, Collection<String> names) throws SQLException {
    return query(connection, lock, names);
  }

  /** Adds the tasks that are new. */
  void insert(Connection connection, Collection<SeriesRegistration> registrations)
      throws SQLException {
    List<SeriesRegistration> rows = new ArrayList<>(registrations);
    rows.sort(Comparator.comparing(SeriesRegistration::task)); // the order of all who lock tasks
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      LedgerColumns.set(statement, 1, "text", rows, SeriesRegistration::task);
      LedgerColumns.set(statement, 2, "text", rows, SeriesRegistration::schedule);
      LedgerColumns.set(statement, 3, "timestamptz", rows, row -> LedgerColumns.time(row.start()));
      statement.executeUpdate();
    }
  }

  /** Writes tasks that the caller has locked. */
  void update(Connection connection, List<Stored> rows) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      LedgerColumns.set(statement, 1, "text", rows, row -> row.state().task());
      LedgerColumns.set(statement, 2, "text", rows, Stored::schedule);
      LedgerColumns.set(
          statement, 3, "timestamptz", rows, row -> LedgerColumns.time(row.state().cursor()));
      LedgerColumns.set(statement, 4, "int4", rows, row -> row.state().open());
      LedgerColumns.set(statement, 5, "int4", rows, row -> row.state().queued());
      LedgerColumns.set(statement, 6, "int4", rows, row -> row.state().failures());
      LedgerColumns.set(
          statement,
          7,
          "timestamptz",
          rows,
          row -> LedgerColumns.time(row.state().lastFailureAt()));
      LedgerColumns.set(
          statement, 8, "timestamptz", rows, row -> LedgerColumns.time(row.state().lastEndedAt()));
      LedgerColumns.set(
          statement,
          9,
          "timestamptz",
          rows,
          row -> LedgerColumns.time(row.state().lastSuccessAt()));
      LedgerColumns.set(statement, 10, "text", rows, row -> pause(row, SeriesPause::by));
      LedgerColumns.set(statement, 11, "text", rows, row -> pause(row, SeriesPause::note));
      LedgerColumns.set(
          statement,
          12,
          "timestamptz",
          rows,
          row -> pause(row, pause -> LedgerColumns.time(pause.at())));
      Database.expect(rows.size(), statement.executeUpdate(), "writing tasks");
    }
  }

  /**
   * Reads {@link #COLUMNS}.
   *
   * @param after how many columns come before them
   */
  static Stored read(ResultSet row, int after) throws SQLException {
    String by = row.getString(after + 10);
    SeriesPause pause =
        by == null
            ? null
            : new SeriesPause(
                by, row.getString(after + 11), LedgerColumns.requiredTime(row, after + 12));
    return new Stored(
        new SeriesState(
            row.getString(after + 1),
            LedgerColumns.requiredTime(row, after + 3),
            row.getInt(after + 4),
            row.getInt(after + 5),
            row.getInt(after + 6),
            LedgerColumns.time(row, after + 7),
            LedgerColumns.time(row, after + 8),
            LedgerColumns.time(row, after + 9),
            pause),
        row.getString(after + 2));
  }

  private static @Nullable String pause(Stored row, Function<SeriesPause, @Nullable String> part) {
    SeriesPause pause = row.state().pause();
    return pause == null ? null : part.apply(pause);
  }

  private static List<Stored> query(Connection connection, String sql, Collection<String> names)
      throws SQLException {
    List<Stored> rows = new ArrayList<>(names.size());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      LedgerColumns.set(statement, 1, "text", List.copyOf(names), name -> name);
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          rows.add(read(result, 0));
        }
      }
    }
    return rows;
  }
}
