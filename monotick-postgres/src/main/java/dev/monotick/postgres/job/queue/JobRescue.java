package dev.monotick.postgres.job.queue;

import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.OpenClaims;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Sees to the runs of replicas that are gone, and to those of replicas of this process that never
 * heard of them. Thread-safe.
 */
public final class JobRescue {

  private final Database database;
  private final Supplier<Map<MemberId, OpenClaims>> claims;
  private final String findAbandonedClaims;
  private final String rescue;
  private final String findOwnUnanswered;
  private final String disown;
  private final String forget;

  public JobRescue(Database database, Supplier<Map<MemberId, OpenClaims>> claims) {
    this.database = database;
    this.claims = claims;
    findAbandonedClaims =
        database.sql(
            "select exists (select from @job_claim c where not @replica_keeps_claims(c.replica))");
    rescue = database.sql("select @job_rescue(" + JobStore.MOST_CRASHES + ")");
    findOwnUnanswered =
        database.sql(
            "select exists (select from @job_claim c"
                + " where c.replica = ? and c.number < ? and c.number <> all (?))");
    disown = database.sql("select @job_release_unknown(?, ?, ?)");
    forget = database.sql("delete from @job_offer where since < now() - interval '1 minute'");
  }

  public int rescue() {
    int jobs = rescueOfTheGone();
    for (Map.Entry<MemberId, OpenClaims> own : claims.get().entrySet()) {
      jobs += disown(own.getKey(), own.getValue());
    }
    int unused = database.once("deleting offers of replicas that are gone", this::forget);
    return jobs;
  }

  /** Nobody uses them any more. */
  private int forget(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(forget)) {
      return statement.executeUpdate();
    }
  }

  private int disown(MemberId replica, OpenClaims own) {
    OpenClaims.KnownClaims known = own.known();
    return database.once(
        "giving back jobs that were claimed twice",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(findOwnUnanswered)) {
            set(statement, replica, known);
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              if (!row.getBoolean(1)) {
                return 0;
              }
            }
          }
          try (PreparedStatement statement = connection.prepareStatement(disown)) {
            set(statement, replica, known);
            try (ResultSet row = statement.executeQuery()) {
              row.next();
              return row.getInt(1);
            }
          }
        });
  }

  private static void set(
      PreparedStatement statement, MemberId replica, OpenClaims.KnownClaims known)
      throws SQLException {
    statement.setObject(1, replica.value());
    statement.setLong(2, known.before());
    JobColumns.set(statement, 3, known.numbers());
  }

  private int rescueOfTheGone() {
    return database.once(
        "rescuing jobs",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(findAbandonedClaims);
              ResultSet row = statement.executeQuery()) {
            row.next();
            if (!row.getBoolean(1)) {
              return 0; // as nearly always, and then nothing is written
            }
          }
          try (PreparedStatement statement = connection.prepareStatement(rescue);
              ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getInt(1);
          }
        });
  }
}
