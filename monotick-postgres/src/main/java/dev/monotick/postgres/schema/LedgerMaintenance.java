package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.SqlFailures;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the tables small: creates a partition for each of the next days, and drops history that is
 * older than the retention, by the server's clock. Any number of replicas may run it at any time;
 * one works, the others return at once. Thread-safe if its source is.
 */
public final class LedgerMaintenance {

  private static final Logger log = LoggerFactory.getLogger(LedgerMaintenance.class);

  /** How many pieces one call does at most, so that it ends whatever there is to do. */
  private static final int PIECES = 20;

  private static final Duration SHORTEST = Duration.ofDays(1);
  private static final Duration LONGEST = Duration.ofDays(36500);

  private final ConnectionSource source;
  private final String sql;

  LedgerMaintenance(ConnectionSource source, SchemaName schema, Duration retention, int batch) {
    this.source = source;
    String call = "select * from @maintain(make_interval(secs => %d), 3, %d)";
    this.sql = Migration.resolve(call.formatted(checked(retention).toSeconds(), batch), schema);
  }

  /** Refuses a retention that would drop what is needed, or that no server can count with. */
  static Duration checked(Duration retention) {
    if (retention.compareTo(SHORTEST) < 0 || retention.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "retention must be 1 to 36500 days, but was " + retention + "; choose 30 days or so");
    }
    return retention;
  }

  /**
   * Returns the upkeep of a schema.
   *
   * @param retention how long a tick stays on record after its nominal time and its end; at least a
   *     day
   */
  public static LedgerMaintenance of(
      ConnectionSource source, SchemaName schema, Duration retention) {
    return new LedgerMaintenance(source, schema, retention, 5000);
  }

  /**
   * Does what is due, in short transactions, and returns what that was. To be called every hour or
   * so; what could not be done for a table in use is left to the next call.
   *
   * @throws dev.monotick.error.StoreException if the database did not answer
   */
  public LedgerMaintenanceReport run() {
    LedgerMaintenanceReport report = piece();
    for (int i = 1; i < PIECES && report.unfinished(); i++) {
      LedgerMaintenanceReport next = piece();
      report = report.and(next);
      if (!next.worked()) {
        break; // another replica does the rest
      }
    }
    if (!report.created().isEmpty() || !report.dropped().isEmpty()) {
      log.info("partitions created={} dropped={}", report.created(), report.dropped());
    }
    if (!report.postponed().isEmpty()) {
      log.info("partitions in use, tried again later: postponed={}", report.postponed());
    }
    return report;
  }

  private LedgerMaintenanceReport piece() {
    try {
      return new MigrationTransaction(Duration.ofSeconds(1), Duration.ofMinutes(1))
          .run(source, this::call);
    } catch (SQLException e) {
      throw SqlFailures.translate("maintaining partitions", e);
    }
  }

  private LedgerMaintenanceReport call(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return new LedgerMaintenanceReport(
          row.getBoolean("worked"),
          names(row, "created"),
          names(row, "dropped"),
          names(row, "kept"),
          names(row, "postponed"),
          row.getLong("ticks_deleted"),
          row.getLong("keys_deleted"),
          row.getLong("replicas_deleted"),
          row.getBoolean("unfinished"));
    }
  }

  static List<String> names(ResultSet row, String column) throws SQLException {
    Array array = row.getArray(column);
    return List.of((String[]) array.getArray());
  }
}
