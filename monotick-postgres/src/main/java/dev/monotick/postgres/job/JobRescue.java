package dev.monotick.postgres.job;

import dev.monotick.job.store.JobStore;
import dev.monotick.postgres.connection.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Sees to the runs of replicas that are gone. Thread-safe. */
final class JobRescue {

  private final Database database;
  private final String look;
  private final String rescue;

  JobRescue(Database database) {
    this.database = database;
    look =
        database.sql(
            "select exists (select from @job_claim c where not exists"
                + " (select from @replica r where r.id = c.replica and r.gone_at is null))");
    rescue = database.sql("select @job_rescue(" + JobStore.MOST_CRASHES + ")");
  }

  int rescue() {
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
