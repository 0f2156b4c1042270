package dev.monotick.server.job.approval;

import dev.monotick.job.Job;
import dev.monotick.job.JobState;
import dev.monotick.server.access.Caller;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Counts who approved a job, for those that need more than one. Called in a transaction that has
 * the end of the tenant's audit chain, so of several who approve at once each sees those before.
 */
@Component
public class Approvals {

  /** The header that says how many must approve; one if it is not there. */
  public static final String NEEDED = "approvals";

  /** The most that may be asked for. */
  static final int MOST = 10;

  private final Sql sql;
  private final Escalations escalations;

  Approvals(Sql sql, Escalations escalations) {
    this.sql = sql;
    this.escalations = escalations;
  }

  /** Refuses keys that could never approve anything of the tenant's. */
  public void requireKeys(String tenant, ApprovalRules rules) {
    List<String> keys =
        rules.deciders(true).stream()
            .filter(each -> each.startsWith("key/"))
            .map(each -> each.substring("key/".length()))
            .toList();
    List<String> able =
        sql.of(
                """
                select id from @api_key
                 where id = any (:ids::text[]) and (tenant = :tenant or tenant is null)
                   and role in ('ADMIN', 'OPERATOR') and revoked_at is null
                   and (expires_at is null or expires_at > now())
                """)
            .param("ids", keys.toArray(String[]::new))
            .param("tenant", tenant)
            .query((row, number) -> row.getString(1))
            .list();
    keys.stream()
        .filter(each -> !able.contains(each))
        .findFirst()
        .ifPresent(
            each -> {
              throw Problem.invalid(
                  "approval.approvers",
                  "approval: key/" + each + " must be a valid key that is at least OPERATOR");
            });
  }

  /**
   * Says whether a job waits for a decision, and refuses one who was not named if somebody was. The
   * job is as it is under the lock of the tenant's audit chain: nobody else can decide about it,
   * and have it asked anew, meanwhile.
   */
  public boolean isFor(Caller caller, Job job) {
    if (job.state() != JobState.AWAITING_APPROVAL) {
      return false;
    }
    Optional<ApprovalRules> rules = ApprovalRules.of(job);
    boolean escalated = isEscalated(job);
    if (rules.isPresent() && !rules.get().allows(caller, escalated)) {
      throw Problem.of(
          403,
          "not-an-approver",
          "job " + job.id() + " is for " + rules.get().deciders(escalated) + " to decide");
    }
    return true;
  }

  /** Says whether others may decide too, since nobody has for a while. */
  public boolean isEscalated(Job job) {
    return ApprovalRules.of(job).flatMap(ApprovalRules::escalation).isPresent()
        && escalations.isEscalated(job.id(), round(job));
  }

  public static int needed(Job job) {
    return Optional.ofNullable(job.headers().get(NEEDED)).map(Integer::parseInt).orElse(1);
  }

  /** Says whether, with this one, enough have approved. Refuses one who has already. */
  public boolean add(Job job, Caller caller, String note) {
    int needed = needed(job);
    if (needed <= 1) {
      return true;
    }
    int added =
        sql.of(
                """
                insert into @job_approver (job_id, round, by_id, by, note)
                values (:job, :round, :id, :by, :note) on conflict do nothing
                """)
            .param("job", job.id().value())
            .param("round", round(job))
            .param("id", caller.id())
            .param("by", caller.name())
            .param("note", note)
            .update();
    if (added == 0) {
      throw Problem.conflict(
          "approved-already", "job " + job.id() + " has this key's approval; it needs another's");
    }
    return given(job).size() >= needed;
  }

  /** Returns who approved it in this round. */
  public List<String> given(Job job) {
    return sql.of("select by from @job_approver where job_id = :job and round = :round order by at")
        .param("job", job.id().value())
        .param("round", round(job))
        .query((row, number) -> row.getString(1))
        .list();
  }

  /** Forgets approvals of jobs that are not on record any more. */
  public void tidy() {
    sql.of(
            """
            delete from @job_approver a
             where not exists (select from @@job j where j.id = a.job_id)
            """)
        .update();
    escalations.tidy();
  }

  private static int round(Job job) {
    return job.attempts().isEmpty() ? 0 : job.attempts().get(job.attempts().size() - 1).run();
  }
}
