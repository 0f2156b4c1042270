package dev.monotick.postgres.job;

import dev.monotick.job.store.JobStore;
import dev.monotick.postgres.connection.Database;
import dev.monotick.replica.ReplicaId;
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
final class JobRescue {

  private final Database database;
  private final Supplier<Map<ReplicaId, OpenClaims>> claims;
  private final String look;
  private final String rescue;
  private final String lookForOwn;
  private final String disown;
  private final String forget;

  JobRescue(Database database, Supplier<Map<ReplicaId, OpenClaims>> claims) {
    this.database = database;
    this.claims = claims;
    look =
        database.sql("select exists (select from @job_claim c where not @job_is_kept(c.replica))");
    rescue = database.sql("select @job_rescue(" + JobStore.MOST_CRASHES + ")");
    lookForOwn =
        database.sql(
            "select exists (select from @job_claim c"
                + " where c.replica = ? and c.number < ? and c.number <> all (?))");
    disown = database.sql("select @job_disown(?, ?, ?)");
    forget = database.sql("delete from @job_open_turn where since < now() - interval '1 minute'");
  }

  int rescue() {
    int jobs = rescueOfTheGone();
    for (Map.Entry<ReplicaId, OpenClaims> own : claims.get().entrySet()) {
      jobs += disown(own.getKey(), own.getValue());
    }
    int unused = database.once("forgetting turns of the gone", this::forget);
    return jobs;
  }

  /** Nobody uses them any more. */
  private int forget(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(forget)) {
      return statement.executeUpdate();
    }
  }

  private int disown(ReplicaId replica, OpenClaims own) {
    OpenClaims.Known known = own.known();
    return database.once(
        "giving back jobs that were claimed twice",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(lookForOwn)) {
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

  private static void set(PreparedStatement statement, ReplicaId replica, OpenClaims.Known known)
      throws SQLException {
    statement.setObject(1, replica.value());
    statement.setLong(2, known.before());
    JobColumns.set(statement, 3, known.numbers());
  }

  private int rescueOfTheGone() {
    return database.once(
        "rescuing jobs",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(look);
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
