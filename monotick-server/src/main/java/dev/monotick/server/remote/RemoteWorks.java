package dev.monotick.server.remote;

import dev.monotick.job.JobContext;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.database.Sql;
import dev.monotick.server.remote.RemoteWork.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** The table of work that goes on elsewhere; each change is one guarded statement. */
@Component
public class RemoteWorks {

  private final Sql sql;
  private final Jobs jobs;

  RemoteWorks(Sql sql, Jobs jobs) {
    this.sql = sql;
    this.jobs = jobs;
  }

  /** Returns what was last begun for a job, if anything was. */
  Optional<RemoteWork> latest(JobId job) {
    return sql.of(
            """
            select id, job_id, state, accepted,
                   extract(epoch from due_at - clock_timestamp()) * 1000 as left_millis,
                   ended_at, result, error, permanent, taken
              from @remote_work where job_id = :job order by created_at desc limit 1
            """)
        .param("job", job.value())
        .query((row, number) -> read(row))
        .optional();
  }

  private static RemoteWork read(ResultSet row) throws SQLException {
    Timestamp ended = row.getTimestamp("ended_at");
    return new RemoteWork(
        row.getObject("id", UUID.class),
        row.getLong("job_id"),
        State.valueOf(row.getString("state")),
        row.getBoolean("accepted"),
        Duration.ofMillis(row.getLong("left_millis")),
        ended == null
            ? Optional.empty()
            : Optional.of(
                new RemoteWork.WorkResult(
                    ended.toInstant(),
                    Optional.ofNullable(row.getString("result")),
                    Optional.ofNullable(row.getString("error")),
                    row.getBoolean("permanent"),
                    row.getBoolean("taken"))));
  }

  /**
   * Begins a call that may be answered later: the row is there before the call is made, because the
   * answer may be faster than the call's own. A call that is made again, because nobody knows what
   * became of it, adds a token; whoever has an earlier one may still use that.
   *
   * @param timeout how long the called service may take
   */
  public UUID beginCall(JobContext<?> job, byte[] token, Duration timeout) {
    Optional<UUID> again =
        sql.of(
                """
                update @remote_work set tokens = tokens || :token, attempt = :attempt
                 where job_id = :job and state = 'WAITING' and kind = 'CALLBACK'
                returning id
                """)
            .param("token", token)
            .param("attempt", job.attempt())
            .param("job", job.id().value())
            .query(UUID.class)
            .optional();
    return again.orElseGet(
        () ->
            sql.of(
                    """
                    insert into @remote_work
                      (tenant, job_id, attempt, kind, accepted, tokens, timeout_millis, due_at)
                    values (:tenant, :job, :attempt, 'CALLBACK', false, array[:token]::bytea[],
                            :timeout, clock_timestamp() + :timeout * interval '1 millisecond')
                    returning id
                    """)
                .param("tenant", job.lane().tenant())
                .param("job", job.id().value())
                .param("attempt", job.attempt())
                .param("token", token)
                .param("timeout", timeout.toMillis())
                .query(UUID.class)
                .single());
  }

  /** The called service has promised to call back; its time begins now. */
  public void accept(UUID id) {
    sql.of(
            """
            update @remote_work
               set accepted = true,
                   due_at = clock_timestamp() + timeout_millis * interval '1 millisecond'
             where id = :id and state = 'WAITING'
            """)
        .param("id", id)
        .update();
  }

  /** Nobody will call back: the call was answered at once, or failed. */
  public void withdraw(UUID id) {
    sql.of(
            """
            update @remote_work
               set state = 'CANCELLED', taken = true, ended_at = clock_timestamp()
             where id = :id and state = 'WAITING'
            """)
        .param("id", id)
        .update();
  }

  /** Says that the job knows the end. Returns whether it did not before. */
  boolean take(UUID id) {
    return sql.of("update @remote_work set taken = true where id = :id and not taken")
            .param("id", id)
            .update()
        == 1;
  }

  /** Its time is over, if it is: somebody may have ended it meanwhile. */
  void expire(UUID id) {
    sql.of(
            """
            update @remote_work
               set state = 'FAILED', error = 'timed out', ended_at = clock_timestamp()
             where id = :id and state in ('WAITING', 'LEASED') and due_at <= clock_timestamp()
            """)
        .param("id", id)
        .update();
  }

  /**
   * Has the job look at what came out. It may not wait yet, because the run that began the work has
   * not ended; then {@link RemoteSweep} does it a moment later.
   */
  public void signal(long job, Instant endedAt) {
    jobs.reschedule(new JobId(job), endedAt);
  }
}
