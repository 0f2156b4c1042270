package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.SqlFailures;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the tables of jobs small, as {@link LedgerMaintenance} does for those of ticks: a job stays
 * on record for the retention after it was added and after its last run ended, and for as long as
 * it is alive or a dead letter. Any number of replicas may call it at any time; one works, the
 * others return at once. Thread-safe if its source is.
 */
public final class JobMaintenance {

  private static final Logger log = LoggerFactory.getLogger(JobMaintenance.class);

  /** How many pieces one call does at most, so that it ends whatever there is to do. */
  private static final int PIECES = 200;

  /** One for each table that has partitions; they are created before anything else. */
  private static final int FIRST_PIECES = 3;

  private final ConnectionSource source;
  private final String maintain;

  JobMaintenance(ConnectionSource source, SchemaName schema, Duration retention, int batch) {
    this.source = source;
    String call = "select * from @maintain_jobs(make_interval(secs => %d), 3, %d)";
    this.maintain =
        Migration.resolve(
            call.formatted(LedgerMaintenance.checked(retention).toSeconds(), batch), schema);
  }

  /**
   * Returns the upkeep of the jobs of a schema.
   *
   * @param retention how long a job stays on record after it was added and after it ended; at least
   *     a day
   */
  public static JobMaintenance of(ConnectionSource source, SchemaName schema, Duration retention) {
    return new JobMaintenance(source, schema, retention, 5000);
  }

  /**
   * Does what is due, in short transactions, and returns what that was. To be called every hour or
   * so; what could not be done for a table in use is left to the next call.
   *
   * @throws dev.monotick.error.StoreException if the database did not answer
   */
  public JobMaintenanceReport run() {
    return run(PIECES);
  }

  /**
   * Does the most urgent part of what is due: has partitions for today and the next days. For the
   * start of a replica, which should not wait for more.
   *
   * @throws dev.monotick.error.StoreException if the database did not answer
   */
  public JobMaintenanceReport begin() {
    return run(FIRST_PIECES);
  }

  private JobMaintenanceReport run(int pieces) {
    JobMaintenanceReport report = piece();
    for (int i = 1; i < pieces && report.unfinished(); i++) {
      JobMaintenanceReport next = piece();
      report = report.and(next);
      if (!next.worked()) {
        break; // another replica does the rest
      }
    }
    if (!report.created().isEmpty() || !report.dropped().isEmpty()) {
      log.info(
          "partitions of jobs created={} dropped={} moved={}",
          report.created(),
          report.dropped(),
          report.jobsMoved());
    }
    if (!report.postponed().isEmpty()) {
      log.info("partitions of jobs in use, tried again later: postponed={}", report.postponed());
    }
    return report;
  }

  private JobMaintenanceReport piece() {
    try {
      return new MigrationTransaction(Duration.ofSeconds(1), Duration.ofMinutes(1))
          .run(source, this::call);
    } catch (SQLException e) {
      throw SqlFailures.translate("maintaining the tables of jobs", e);
    }
  }

  private JobMaintenanceReport call(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(maintain)) {
      row.next();
      return new JobMaintenanceReport(
          row.getBoolean("worked"),
          LedgerMaintenance.names(row, "created"),
          LedgerMaintenance.names(row, "dropped"),
          LedgerMaintenance.names(row, "kept"),
          LedgerMaintenance.names(row, "postponed"),
          row.getLong("jobs_moved"),
          row.getLong("jobs_deleted"),
          row.getLong("rows_deleted"),
          row.getBoolean("unfinished"));
    }
  }
}
