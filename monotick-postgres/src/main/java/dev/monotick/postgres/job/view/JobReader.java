package dev.monotick.postgres.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.Lane;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.row.RunOutcomes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Shows jobs. A job and its state are read by one statement, that is from one snapshot: in it, each
 * job is in one place. Thread-safe.
 */
public final class JobReader {

  /** The most jobs or lines that one call returns. */
  static final int MOST = 10_000;

  private final Database database;
  private final JobSearch search;
  private final String find;
  private final String log;
  private final String counts;

  public JobReader(Database database) {
    this.database = database;
    this.search = new JobSearch(database);
    find =
        database.sql(
            "with wanted(id) as (values (?::bigint))"
                + JobRow.select("case when t.run is null or t.first then j.payload end")
                + JobRow.OF_ATTEMPTS
                + JobRow.FROM
                + """
                  left join lateral (
                    select t.run, t.attempt, t.outcome, coalesce(q.name, t.replica::text) as replica,
                           t.started_at, t.ended_at, t.took_micros, t.detail, t.result,
                           row_number() over (order by t.run) = 1 as first
                      from @job_attempt t left join @replica q on q.id = t.replica
                     where t.job_id = j.id) t on true
                  order by t.run
                  """);
    log = database.sql("select at, text from @job_log where job_id = ? order by number limit ?");
    counts =
        database.sql(
            """
            select l.queue, l.kind, l.tenant, l.priority, sum(waiting)::bigint, sum(ready)::bigint,
                   sum(running)::bigint, sum(succeeded)::bigint, sum(failed)::bigint,
                   sum(dead)::bigint, sum(ended)::bigint
              from (select lane, waiting, ready, running, succeeded, failed, dead, ended
                      from @job_count
                    union all
                    select lane, waiting, ready, running, succeeded, failed, dead, ended
                      from @job_count_delta) c
              join @job_lane l on l.id = c.lane
             group by l.id
             order by l.queue, l.kind, l.tenant, l.priority
            """);
  }

  /** See {@link dev.monotick.spi.job.JobStore#find}. */
  public Optional<Job> find(JobId id) {
    return database.once("reading job " + id, connection -> find(connection, id));
  }

  private Optional<Job> find(Connection connection, JobId id) throws SQLException {
    JobRow job = null;
    List<Job.Attempt> attempts = new ArrayList<>();
    Optional<byte[]> result = Optional.empty();
    try (PreparedStatement statement = database.prepareLimited(connection, find)) {
      statement.setLong(1, id.value());
      try (ResultSet row = database.executeLimited(statement)) {
        while (row.next()) {
          if (job == null) {
            job = JobRow.read(row);
          }
          if (row.getObject("t_run") != null) {
            attempts.add(attempt(row));
            result = Optional.ofNullable(row.getBytes("t_result"));
          }
        }
      }
    }
    return job == null ? Optional.empty() : job.toJob(attempts, result);
  }

  private static Job.Attempt attempt(ResultSet row) throws SQLException {
    return new Job.Attempt(
        row.getInt("t_run"),
        row.getInt("t_attempt"),
        RunOutcomes.of(row.getInt("t_outcome")),
        Optional.ofNullable(row.getString("t_replica")),
        JobRow.time(row, "t_started_at"),
        row.getObject("t_ended_at", OffsetDateTime.class).toInstant(),
        Duration.ofNanos(row.getLong("t_took_micros") * 1000),
        Optional.ofNullable(row.getString("t_detail")));
  }

  /** See {@link dev.monotick.spi.job.JobStore#log}; the first lines if there are more. */
  public List<Job.LogLine> log(JobId id, int limit) {
    int most = bounded(limit);
    return database.once(
        "reading the log of job " + id,
        connection -> {
          List<Job.LogLine> lines = new ArrayList<>();
          try (PreparedStatement statement = database.prepareLimited(connection, log)) {
            statement.setLong(1, id.value());
            statement.setInt(2, most);
            try (ResultSet row = database.executeLimited(statement)) {
              while (row.next()) {
                lines.add(
                    new Job.LogLine(
                        row.getObject(1, OffsetDateTime.class).toInstant(), row.getString(2)));
              }
            }
          }
          return lines;
        });
  }

  /**
   * See {@link dev.monotick.spi.job.JobStore#list(JobFilter, int)}; {@link JobSearch} says how far
   * it looks.
   */
  public List<Job> list(JobFilter filter, int limit) {
    int most = bounded(limit);
    return database.inTransaction(
        "listing jobs", connection -> search.list(connection, filter, most));
  }

  /** See {@link dev.monotick.spi.job.JobStore#list(List)}. */
  public List<Job> list(List<JobId> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    bounded(ids.size());
    return database.once("listing jobs", connection -> search.list(connection, ids));
  }

  /** See {@link dev.monotick.spi.job.JobStore#counts}. */
  public List<JobCount> counts() {
    return database.once(
        "reading the counts of jobs",
        connection -> {
          List<JobCount> all = new ArrayList<>();
          try (PreparedStatement statement = database.prepareLimited(connection, counts);
              ResultSet row = database.executeLimited(statement)) {
            while (row.next()) {
              all.add(
                  new JobCount(
                      new Lane(row.getString(1), row.getString(2), row.getString(3), row.getInt(4)),
                      row.getLong(5),
                      row.getLong(6),
                      row.getLong(7),
                      row.getLong(8),
                      row.getLong(9),
                      row.getLong(10),
                      row.getLong(11)));
            }
          }
          return Collections.unmodifiableList(all);
        });
  }

  private static int bounded(int limit) {
    if (limit < 1 || limit > MOST) {
      throw new IllegalArgumentException(
          "limit must be between 1 and " + MOST + ", but was " + limit);
    }
    return limit;
  }
}
