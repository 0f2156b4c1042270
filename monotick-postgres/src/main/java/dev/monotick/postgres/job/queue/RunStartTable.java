package dev.monotick.postgres.job.queue;

import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.JobColumns;
import dev.monotick.postgres.job.row.OpenClaims;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.replica.MemberId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Records that handlers are about to begin, in one statement. Thread-safe. */
public final class RunStartTable {

  private final Database database;
  private final String start;

  public RunStartTable(Database database) {
    this.database = database;
    start =
        database.sql(
            "select * from @job_start_runs(?::uuid, ?::bigint[], ?::bigint[], ?::integer[],"
                + " ?::bigint)");
  }

  /** Returns the runs that may begin. */
  public Set<JobRun> start(MemberId replica, List<JobRun> runs, Instant at, OpenClaims claims) {
    Map<Long, JobRun> byId = new HashMap<>();
    List<OpenClaims.Open> open = new ArrayList<>();
    for (JobRun run : runs) {
      OpenClaims.Open found = claims.find(run.id(), run.number());
      if (found != null) { // else it is over, or was never the replica's
        open.add(found);
        byId.put(run.id().value(), run);
        claims.note(run.id(), run.number()); // also if there is no answer: there may be a record
      }
    }
    if (open.isEmpty()) {
      return Set.of();
    }
    open.sort(Comparator.comparingLong(OpenClaims.Open::id)); // the order of locks
    return database.once(
        "recording that jobs begin",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(start)) {
            set(statement, replica, open, at);
            Set<JobRun> begin = new HashSet<>();
            try (ResultSet row = statement.executeQuery()) {
              while (row.next()) {
                begin.add(Objects.requireNonNull(byId.get(row.getLong(1))));
              }
            }
            return begin;
          }
        });
  }

  private static void set(
      PreparedStatement statement, MemberId replica, List<OpenClaims.Open> open, Instant at)
      throws SQLException {
    statement.setObject(1, replica.value());
    JobColumns.set(statement, 2, open.stream().mapToLong(OpenClaims.Open::claimNumber).toArray());
    JobColumns.set(statement, 3, open.stream().mapToLong(OpenClaims.Open::id).toArray());
    JobColumns.set(statement, 4, open.stream().mapToInt(OpenClaims.Open::run).toArray());
    statement.setLong(5, JobColumns.micros(at));
  }
}
