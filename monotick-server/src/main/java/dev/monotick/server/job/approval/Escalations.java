package dev.monotick.server.job.approval;

import dev.monotick.job.JobId;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Lets others decide about jobs for which nobody has in time. The end of the tenant's audit chain
 * is locked first, as by whoever approves, and then the row of the job that waits: of a decision,
 * an expiry and an escalation each comes before or after the others, and what is decided or expired
 * is not escalated any more.
 */
@Component
public class Escalations {

  private static final int BATCH = 500;

  private final Sql sql;
  private final AuditTrail audit;
  private final ServerSettings settings;

  private record Due(long job, String tenant, List<String> to) {}

  /** Somebody decided meanwhile, or it expired: undoes the entry of the audit. */
  private static final class LateException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LateException() {
      super("", null, false, false);
    }
  }

  Escalations(Sql sql, AuditTrail audit, ServerSettings settings) {
    this.sql = sql;
    this.audit = audit;
    this.settings = settings;
  }

  @Bean
  Task approvalEscalationTask() {
    return Task.named("approval-escalation")
        .every(settings.get(JobSettings.ESCALATION_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .run(
            context -> {
              for (Due each : due()) {
                context.checkCancelled();
                escalate(each);
              }
            });
  }

  /** Notes a job that was just added, in its transaction. */
  public void add(String tenant, JobId job, ApprovalRules rules) {
    rules
        .escalation()
        .ifPresent(
            after ->
                sql.of(
                        """
                        insert into @job_escalation (job_id, tenant, after_millis, decided_by)
                        values (:job, :tenant, :after, :to::text[])
                        """)
                    .param("job", job.value())
                    .param("tenant", tenant)
                    .param("after", after.toMillis())
                    .param("to", rules.to().toArray(String[]::new))
                    .update());
  }

  /** Says whether others may decide about a job, in this round of it. */
  boolean isEscalated(JobId job, int round) {
    return sql.of("select count(*) from @job_escalation where job_id = :job and escalated = :round")
            .param("job", job.value())
            .param("round", round)
            .query(Long.class)
            .single()
        == 1;
  }

  /** Forgets jobs that are not on record any more. */
  void tidy() {
    sql.of(
            """
            delete from @job_escalation e
             where not exists (select from @@job j where j.id = e.job_id)
            """)
        .update();
  }

  private List<Due> due() {
    return sql.of(
            """
            select e.job_id, e.tenant, e.decided_by
              from @job_escalation e join @@job_approval g on g.id = e.job_id
             where e.escalated is distinct from g.run
               and g.asked_at + e.after_millis * interval '1 millisecond' <= now()
             order by g.asked_at limit :most
            """)
        .param("most", BATCH)
        .query(
            (row, number) ->
                new Due(
                    row.getLong("job_id"),
                    row.getString("tenant"),
                    List.of((String[]) row.getArray("decided_by").getArray())))
        .list();
  }

  private void escalate(Due due) {
    try {
      sql.inTransaction(
          () -> {
            audit.append(
                AuditEntry.bySystem(
                    due.tenant(),
                    "approval_escalated",
                    "job/" + due.job(),
                    Map.of("to", due.to())));
            if (mark(due.job()) == 0) {
              throw new LateException();
            }
          });
    } catch (LateException e) {
      // nothing is left of it
    }
  }

  private int mark(long job) {
    return sql.of(
            """
            with pending as (select id, run from @@job_approval where id = :job for update)
            update @job_escalation e set escalated = pending.run, escalated_at = clock_timestamp()
              from pending where e.job_id = pending.id and e.escalated is distinct from pending.run
            """)
        .param("job", job)
        .update();
  }
}
