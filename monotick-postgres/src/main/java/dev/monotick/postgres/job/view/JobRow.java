package dev.monotick.postgres.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.postgres.job.row.RunOutcomes;
import dev.monotick.work.Effect;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job as a statement gives it that looks into all places where a job can be.
 *
 * @param job without attempts and result, with a state that means nothing
 * @param state where it is; null if it is nowhere: its end was forgotten, and it soon will be
 */
record JobRow(Job job, @Nullable JobState state) {

  private static final List<Effect> EFFECTS =
      List.of(Effect.AT_LEAST_ONCE, Effect.AT_MOST_ONCE, Effect.TRANSACTIONAL);

  /**
   * Follows on a {@code with wanted(id) as (..)}. Claims are few, of many jobs each, and read as a
   * whole. How many jobs they have the planner does not know; "is true" has it look each one up in
   * a hash, instead of comparing each with each.
   */
  static String select(String payload) {
    return """
        , running as materialized (
          select u.id, u.run, c.replica, c.claimed_at
            from @job_claim c
           cross join lateral unnest(c.ids, c.runs) as u(id, run)
           where (u.id in (select id from wanted)) is true
             and not exists (select from @job_attempt a where a.job_id = u.id and a.run = u.run))
        select j.id, j.created_at, j.timeout_millis, j.parent_id, j.approval_millis, j.deadline,
               j.version, j.max_attempts, j.effect, j.unique_key, j.limit_key, j.headers,
               %s as payload, l.queue, l.kind, l.tenant, l.priority,
               p.state, p.due_at, r.run, coalesce(o.name, r.replica::text) as replica,
               r.claimed_at, n.started_at, n.progress, n.doing, e.outcome\
        """
        .formatted(payload);
  }

  static final String OF_ATTEMPTS =
      ", t.run as t_run, t.attempt as t_attempt, t.outcome as t_outcome, t.replica as t_replica,"
          + " t.started_at as t_started_at, t.ended_at as t_ended_at,"
          + " t.took_micros as t_took_micros, t.detail as t_detail, t.result as t_result";

  static final String FROM =
      """

        from wanted w
        join @job j on j.id = w.id
        join @job_lane l on l.id = j.lane
        left join lateral (
          select 'READY' as state, null::timestamptz as due_at
            from @job_ready where lane = j.lane and id = j.id
          union all
          select 'READY', null from @job_ready where lane = -j.lane and id = j.id
          union all
          select 'READY', null from @job_blocked where id = j.id
          union all
          select case when retrying then 'RETRYING' else 'SCHEDULED' end, due_at
            from @job_delayed where id = j.id
          union all
          select 'AWAITING_APPROVAL', due_at from @job_approval where id = j.id
          union all
          select 'SCHEDULED', due_at from @job_wait where id = j.id
          union all
          select 'DEAD', null from @job_dead where id = j.id
          limit 1) p on true
        left join running r on r.id = j.id
        left join @replica o on o.id = r.replica
        left join @job_run n on n.job_id = j.id and n.run = r.run
        left join lateral (
          select outcome from @job_attempt where job_id = j.id order by run desc limit 1) e on true
      """;

  static JobRow read(ResultSet row) throws SQLException {
    JobState state = state(row);
    byte[] payload = row.getBytes("payload");
    return new JobRow(
        new Job(
            new JobId(row.getLong("id")),
            new Lane(
                row.getString("queue"),
                row.getString("kind"),
                row.getString("tenant"),
                row.getInt("priority")),
            row.getInt("version"),
            state == null ? JobState.UNKNOWN : state,
            payload == null ? new byte[0] : payload,
            rules(row),
            row.getObject("created_at", OffsetDateTime.class).toInstant(),
            time(row, "due_at"),
            Optional.ofNullable(row.getString("unique_key")),
            Optional.ofNullable(row.getString("limit_key")),
            number(row, "parent_id").map(JobId::new),
            headers(row),
            running(row),
            List.of(),
            Optional.empty()),
        state);
  }

  /** Returns the job; empty if it is as good as forgotten. */
  Optional<Job> toJob(List<Job.Attempt> attempts, Optional<byte[]> result) {
    if (state == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Job(
            job.id(),
            job.lane(),
            job.version(),
            job.state(),
            job.payload(),
            job.rules(),
            job.createdAt(),
            job.dueAt(),
            job.uniqueKey(),
            job.limitKey(),
            job.parent(),
            job.headers(),
            job.run(),
            List.copyOf(attempts),
            result));
  }

  private static @Nullable JobState state(ResultSet row) throws SQLException {
    String place = row.getString("state");
    if (place != null) {
      return JobState.valueOf(place);
    }
    if (row.getObject("run") != null) {
      return JobState.RUNNING;
    }
    int outcome = row.getInt("outcome");
    return row.wasNull() ? null : RunOutcomes.state(outcome);
  }

  private static JobRules rules(ResultSet row) throws SQLException {
    return new JobRules(
        row.getInt("max_attempts"),
        Duration.ofMillis(row.getLong("timeout_millis")),
        time(row, "deadline"),
        EFFECTS.get(row.getInt("effect")),
        number(row, "approval_millis").map(Duration::ofMillis));
  }

  private static Optional<Job.Running> running(ResultSet row) throws SQLException {
    if (row.getObject("run") == null) {
      return Optional.empty();
    }
    double progress = row.getDouble("progress");
    Optional<Double> known = row.wasNull() ? Optional.empty() : Optional.of(progress);
    return Optional.of(
        new Job.Running(
            row.getInt("run"),
            row.getString("replica"),
            row.getObject("claimed_at", OffsetDateTime.class).toInstant(),
            time(row, "started_at"),
            known,
            Optional.ofNullable(row.getString("doing"))));
  }

  private static Map<String, String> headers(ResultSet row) throws SQLException {
    Array array = row.getArray("headers");
    if (array == null) {
      return Map.of();
    }
    String[] items = (String[]) array.getArray();
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 0; i + 1 < items.length; i += 2) {
      headers.put(items[i], items[i + 1]);
    }
    return Map.copyOf(headers);
  }

  static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  private static Optional<Long> number(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(value);
  }
}
