package dev.monotick.postgres.job.admin;

import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.JobFlags;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;

/** What is to be done when jobs have ended for good. Thread-safe. */
public final class FollowUps {

  private static final int FLAGS =
      JobFlags.UNIQUE | JobFlags.NEXT | JobFlags.LIMITED | JobFlags.KEYED;

  private final String apply;

  public FollowUps(Database database) {
    apply =
        database.sql(
            "select @job_finalize(?::bigint[], ?::integer[], ?::integer[], ?::smallint[],"
                + " ?::boolean[])");
  }

  /**
   * A job that has ended.
   *
   * @param id the job
   * @param run the run of its last row of job_attempt
   * @param lane its lane
   * @param flags its {@link JobFlags}
   * @param succeeded whether it succeeded
   */
  record Ended(long id, int run, int lane, int flags, boolean succeeded) {}

  /**
   * Gives back unique keys and what runs held of limits, and sees to the jobs that come after. To
   * be called in the transaction that recorded the ends.
   */
  void apply(Connection connection, List<Ended> jobs) throws SQLException {
    List<Ended> flagged =
        jobs.stream()
            .filter(job -> (job.flags() & FLAGS) != 0)
            .sorted(Comparator.comparingLong(Ended::id))
            .toList();
    if (flagged.isEmpty()) {
      return;
    }
    int count = flagged.size();
    long[] ids = new long[count];
    int[] runs = new int[count];
    int[] lanes = new int[count];
    short[] flags = new short[count];
    boolean[] successes = new boolean[count];
    for (int i = 0; i < count; i++) {
      Ended job = flagged.get(i);
      ids[i] = job.id();
      runs[i] = job.run();
      lanes[i] = job.lane();
      flags[i] = (short) job.flags();
      successes[i] = job.succeeded();
    }
    try (PreparedStatement statement = connection.prepareStatement(apply)) {
      JobColumns.set(statement, 1, ids);
      JobColumns.set(statement, 2, runs);
      JobColumns.set(statement, 3, lanes);
      JobColumns.set(statement, 4, flags);
      JobColumns.set(statement, 5, successes);
      statement.executeQuery().close();
    }
  }
}
