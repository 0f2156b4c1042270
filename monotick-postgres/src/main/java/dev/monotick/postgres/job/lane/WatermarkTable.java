package dev.monotick.postgres.job.lane;

import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.JobColumns;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where claims begin in each lane, as it is saved in the database. Thread-safe. */
final class WatermarkTable {

  /**
   * The server gives up a statement after that time. It is sent with each statement in one message,
   * which makes it part of the same transaction; nothing is left on the connection.
   */
  private static final String LIMITS =
      "select set_config('statement_timeout', '500', true), set_config('lock_timeout', '500', true);";

  private final Database database;
  private final String load;
  private final String save;
  private final String sweep;
  private final String sweepDue;

  /**
   * Creates one.
   *
   * @param timeline SQL of type bigint: which history the server is in
   */
  WatermarkTable(Database database, String timeline) {
    this.database = database;
    load =
        database.sql(
            "select lane, watermark, claimed_to from @job_load_watermarks(" + timeline + ")");
    save =
        LIMITS
            + database.sql(
                "select @job_save_watermarks(?::integer[], ?::bigint[], ?::bigint[], ?::bigint, "
                    + timeline
                    + ")");
    sweep =
        LIMITS
            + database.sql(
                "select lane, first_seen, first_left, are_many from"
                    + " @job_scan_gap(?::integer[], ?::bigint[], ?::bigint, ?::bigint, ?::integer)");
    sweepDue =
        LIMITS
            + database.sql(
                "select moved, next_due from @job_promote_due("
                    + "timestamptz 'epoch' + ?::bigint * interval '1 microsecond',"
                    + " timestamptz 'epoch' + ?::bigint * interval '1 microsecond')");
  }

  /** Reads how far jobs were claimed. */
  ScanPositions.Inherited load() {
    return database.once("reading how far jobs were claimed", this::load);
  }

  private ScanPositions.Inherited load(Connection connection) throws SQLException {
    List<ScanPositions.Saved> saved = new ArrayList<>();
    long timeline = 0;
    long nowId = 0;
    try (PreparedStatement statement = connection.prepareStatement(load);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        int lane = row.getInt(1);
        if (row.wasNull()) {
          timeline = row.getLong(2);
          nowId = row.getLong(3);
        } else {
          saved.add(new ScanPositions.Saved(lane, row.getLong(2), row.getLong(3), 0));
        }
      }
    }
    return new ScanPositions.Inherited(saved, timeline, nowId);
  }

  /**
   * Saves how far jobs were claimed.
   *
   * @param timeline of the server where that was so; on another one nothing is saved
   */
  void save(List<ScanPositions.Saved> saved, long timeline) {
    int[] lanes = saved.stream().mapToInt(ScanPositions.Saved::lane).toArray();
    long[] watermarks = saved.stream().mapToLong(ScanPositions.Saved::watermark).toArray();
    long[] positions = saved.stream().mapToLong(ScanPositions.Saved::position).toArray();
    boolean unused =
        database.once(
            "saving how far jobs were claimed",
            connection -> {
              try (PreparedStatement statement = connection.prepareStatement(save)) {
                JobColumns.set(statement, 1, lanes);
                JobColumns.set(statement, 2, watermarks);
                JobColumns.set(statement, 3, positions);
                statement.setLong(4, timeline);
                return statement.execute();
              }
            });
  }

  /** Looks for jobs that claims pass over, and moves them to the heads of lanes if they are few. */
  List<ActiveLanes.Gap> sweep(ActiveLanes.Sweep wanted, int many) {
    return database.once(
        "looking for jobs that were passed over", connection -> sweep(connection, wanted, many));
  }

  private List<ActiveLanes.Gap> sweep(Connection connection, ActiveLanes.Sweep wanted, int many)
      throws SQLException {
    List<ActiveLanes.Gap> gaps = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sweep)) {
      int[] lanes = wanted.lanes().stream().mapToInt(Integer::intValue).toArray();
      JobColumns.set(statement, 1, lanes);
      JobColumns.set(statement, 2, wanted.positions());
      statement.setLong(3, wanted.range().low());
      statement.setLong(4, wanted.range().high());
      statement.setInt(5, many);
      try (ResultSet row = rows(statement)) {
        while (row.next()) {
          long left = row.getLong(3);
          Long firstLeft = row.wasNull() ? null : left;
          gaps.add(
              new ActiveLanes.Gap(row.getInt(1), row.getLong(2), firstLeft, row.getBoolean(4)));
        }
      }
    }
    return gaps;
  }

  /**
   * What a look at due times found.
   *
   * @param moved how many jobs became ready
   * @param first when the first is due that was left; null if none was
   */
  record Due(int moved, @Nullable Instant first) {}

  /** Makes jobs ready that were due, and were passed over. */
  Due sweepDue(DueScan.Sweep wanted) {
    return database.once(
        "looking for due jobs that were passed over",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sweepDue)) {
            statement.setLong(1, wanted.fromMicros());
            statement.setLong(2, wanted.toMicros());
            try (ResultSet row = rows(statement)) {
              row.next();
              OffsetDateTime first = row.getObject(2, OffsetDateTime.class);
              return new Due(row.getInt(1), first == null ? null : first.toInstant());
            }
          }
        });
  }

  /** Runs a statement that has limits before it. */
  private static ResultSet rows(PreparedStatement statement) throws SQLException {
    statement.execute();
    if (!statement.getMoreResults()) { // the first are those of the limits
      throw new SQLException("a statement gave no rows");
    }
    return statement.getResultSet();
  }
}
