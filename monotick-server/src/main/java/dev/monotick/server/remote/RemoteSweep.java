package dev.monotick.server.remote;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Looks after work that goes on elsewhere: what is overdue, called off, unheard of, or old. */
@Component
class RemoteSweep {

  private static final int AT_ONCE = 500;

  private final Sql sql;
  private final Jobs jobs;
  private final RemoteWorks works;
  private final AuditTrail audit;
  private final ServerSettings settings;

  private record Ended(UUID id, long job, String tenant, Instant at) {}

  RemoteSweep(Sql sql, Jobs jobs, RemoteWorks works, AuditTrail audit, ServerSettings settings) {
    this.sql = sql;
    this.jobs = jobs;
    this.works = works;
    this.audit = audit;
    this.settings = settings;
  }

  @Bean
  Task remoteWorkTask() {
    return Task.named("remote-work")
        .every(settings.get(ExecutionSettings.REMOTE_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .run(context -> sweep());
  }

  private void sweep() {
    expire();
    callOff();
    report();
    forget();
  }

  private void expire() {
    List<Ended> expired =
        sql.transaction(
            () -> {
              List<Ended> late =
                  sql.of(
                          """
                          update @remote_work set state = 'FAILED', ended_at = clock_timestamp(),
                                 error = case when state = 'LEASED' then 'timed out at agent ' || agent
                                              when kind = 'AGENT' then 'no agent took it in time'
                                              else 'nobody called back in time' end
                           where id in (select id from @remote_work
                                         where state in ('WAITING', 'LEASED') and accepted
                                           and due_at <= now()
                                         order by due_at limit :most for update skip locked)
                             and state in ('WAITING', 'LEASED') and due_at <= now()
                          returning id, job_id, tenant, ended_at
                          """)
                      .param("most", AT_ONCE)
                      .query(RemoteSweep::ended)
                      .list();
              audit.append(
                  late.stream()
                      .map(
                          each ->
                              AuditEntry.bySystem(
                                  each.tenant(),
                                  "remote_work_timed_out",
                                  "job/" + each.job(),
                                  Map.of("work", each.id().toString())))
                      .toList());
              return late;
            });
    expired.forEach(each -> works.signal(each.job(), each.at()));
  }

  private static Ended ended(java.sql.ResultSet row, int number) throws java.sql.SQLException {
    return new Ended(
        row.getObject("id", UUID.class),
        row.getLong("job_id"),
        row.getString("tenant"),
        row.getTimestamp("ended_at").toInstant());
  }

  /** Work of jobs that are over: agents hear of it with their next heartbeat. */
  private void callOff() {
    sql.of(
            """
            update @remote_work w
               set state = 'CANCELLED', taken = true, ended_at = clock_timestamp()
             where w.state in ('WAITING', 'LEASED')
               and (select a.outcome from @@job_attempt a
                     where a.job_id = w.job_id order by a.run desc limit 1) = any (:over)
            """)
        .param("over", FinalOutcomes.codes())
        .update();
  }

  /** Ends that came before the job slept, or whose replica died before it could tell. */
  private void report() {
    List<Ended> untold =
        sql.of(
                """
                select id, job_id, tenant, ended_at from @remote_work
                 where state in ('DONE', 'FAILED') and not taken
                   and ended_at < now() - interval '200 milliseconds'
                 order by ended_at limit :most
                """)
            .param("most", AT_ONCE)
            .query(RemoteSweep::ended)
            .list();
    for (Ended each : untold) {
      if (!jobs.reschedule(new JobId(each.job()), each.at()) && isOver(each.job())) {
        works.take(each.id());
      }
    }
  }

  private boolean isOver(long job) {
    return jobs.find(new JobId(job)).map(Job::state).map(state -> state.isTerminal()).orElse(true);
  }

  private void forget() {
    sql.of(
            """
            delete from @remote_work
             where id in (select id from @remote_work
                           where ended_at < now() - :retention * interval '1 millisecond'
                             and taken order by ended_at limit :most)
            """)
        .param("retention", settings.get(ExecutionSettings.REMOTE_RETENTION).toMillis())
        .param("most", AT_ONCE)
        .update();
  }
}
