package dev.monotick.postgres.job.admin;

import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.JobStart;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.job.notify.JobStoreSignals;
import dev.monotick.postgres.job.row.CountChanges;
import dev.monotick.postgres.job.row.CountChanges.Of;
import dev.monotick.postgres.job.row.RunOutcomes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What people do to jobs. Each step is one transaction at read committed, and is made only from the
 * states that {@link dev.monotick.spi.job.JobTransition} names for it: a state is the table a row
 * is in, so the step begins with taking the row away, and whoever gets it makes the step.
 * Thread-safe.
 */
public final class JobControl {

  private final Database database;
  private final FollowUps followUps;
  private final JobStoreSignals signals;
  private final JobCancellation cancel;
  private final JobRequeue requeue;
  private final String approve;
  private final String reject;
  private final String reschedule;

  public JobControl(Database database, FollowUps ends, JobStoreSignals hints) {
    this.database = database;
    this.followUps = ends;
    this.signals = hints;
    this.cancel = new JobCancellation(database, ends);
    this.requeue = new JobRequeue(database);
    // To the head of its lane: in the lane itself numbers grow with time, and its own is an old
    // one.
    approve =
        database.sql(
            """
            with waits as materialized ( -- locked, so that the jobs before it end before or after
              select id from @job_wait where id = ? for update),
            gone as (
              delete from @job_approval where id = ?
              returning id, lane, run, attempt, flags, due_at,
                        exists (select from waits) as waits,
                        due_at is null or due_at <= clock_timestamp() as due),
            ready as (
              insert into @job_ready (id, ready_at, lane, run, attempt, flags)
              select id, clock_timestamp(), -lane, run, attempt, flags
                from gone where due and not waits),
            later as (
              insert into @job_delayed (due_at, id, lane, run, attempt, flags, retrying)
              select due_at, id, lane, run, attempt, flags, false
                from gone where not due and not waits),
            said as (
              insert into @job_log (job_id, at, text) select id, clock_timestamp(), ? from gone),
            counted as (
              insert into @job_count_delta (lane, waiting, ready, running, succeeded, failed, dead, ended)
              select lane, -1, 1, 0, 0, 0, 0, 0 from gone where due and not waits)
            select l.queue from gone join @job_lane l on l.id = gone.lane
            """);
    reject =
        database.sql(
            """
            with gone as (
              delete from @job_approval where id = ? returning id, lane, run, attempt, flags),
            waits as (
              delete from @job_wait w using gone where w.id = gone.id),
            ended as (
              insert into @job_attempt
                (job_id, ended_at, took_micros, run, attempt, outcome, detail)
              select id, clock_timestamp(), 0, run + 1, attempt + 1, ?, ? from gone)
            select lane, run + 1, flags from gone
            """);
    reschedule =
        database.sql(
            """
            with later as (
              update @job_delayed set due_at = greatest(?, clock_timestamp())
               where id = ? returning lane),
            after as (
              update @job_wait w set due_at = ?
               where w.id = ? and not exists (select from @job_approval g where g.id = w.id)
              returning w.lane)
            select l.queue
              from (select lane from later union all select lane from after) found
              join @job_lane l on l.id = found.lane
            """);
  }

  /** See {@link dev.monotick.spi.job.JobStore#cancel}. */
  public boolean cancel(JobId id, String by, String reason) {
    JobCancellation.Result result = cancel.cancel(id.value(), JobCancellation.detail(by, reason));
    if (result == JobCancellation.Result.RAN) {
      signals.jobsEnded(Set.of(id));
    }
    return result != JobCancellation.Result.NOTHING;
  }

  /** See {@link dev.monotick.spi.job.JobStore#approve}. */
  public boolean approve(JobId id, String by, String note) {
    Optional<String> queue =
        database.inTransaction(
            "approving job " + id,
            connection -> {
              try (PreparedStatement statement = connection.prepareStatement(approve)) {
                statement.setLong(1, id.value());
                statement.setLong(2, id.value());
                statement.setString(3, "approved by " + JobCancellation.detail(by, note));
                return firstText(statement);
              }
            });
    queue.ifPresent(name -> signals.queuesReady(Set.of(name)));
    return queue.isPresent();
  }

  /** See {@link dev.monotick.spi.job.JobStore#reject}. */
  public boolean reject(JobId id, String by, String note) {
    return database.inTransaction(
        "rejecting job " + id,
        connection -> reject(connection, id.value(), JobCancellation.detail(by, note)));
  }

  private boolean reject(Connection connection, long id, String detail) throws SQLException {
    FollowUps.Ended ended;
    try (PreparedStatement statement = connection.prepareStatement(reject)) {
      statement.setLong(1, id);
      statement.setInt(2, RunOutcomes.stored(Outcome.REJECTED));
      statement.setString(3, detail);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return false;
        }
        ended = new FollowUps.Ended(id, row.getInt(2), row.getInt(1), row.getInt(3), false);
      }
    }
    new CountChanges()
        .add(ended.lane(), Of.WAITING, -1)
        .add(ended.lane(), Of.ENDED, 1)
        .append(database, connection);
    followUps.apply(connection, List.of(ended));
    return true;
  }

  /**
   * See {@link dev.monotick.spi.job.JobStore#reschedule}. A job that waits for others gets the time
   * before which it does not run even if they ended.
   */
  public boolean reschedule(JobId id, Instant at) {
    OffsetDateTime due =
        OffsetDateTime.ofInstant(
            JobStart.requireMoment("at", at).truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
    Optional<String> queue =
        database.inTransaction(
            "rescheduling job " + id,
            connection -> {
              try (PreparedStatement statement = connection.prepareStatement(reschedule)) {
                statement.setObject(1, due);
                statement.setLong(2, id.value());
                statement.setObject(3, due);
                statement.setLong(4, id.value());
                return firstText(statement);
              }
            });
    queue.ifPresent(name -> signals.queuesReady(Set.of(name)));
    return queue.isPresent();
  }

  /** See {@link dev.monotick.spi.job.JobStore#requeue}. */
  public List<JobId> requeue(List<JobId> ids, String by) {
    JobRequeue.Requeued requeued = requeue.requeue(ids, by);
    if (!requeued.queues().isEmpty()) {
      signals.queuesReady(requeued.queues());
    }
    return requeued.ids();
  }

  /** See {@link dev.monotick.spi.job.JobStore#purge}. */
  public List<JobId> purge(List<JobId> ids) {
    return requeue.purge(ids);
  }

  private static Optional<String> firstText(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
    }
  }
}
