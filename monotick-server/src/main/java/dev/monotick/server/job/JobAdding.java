package dev.monotick.server.job;

import dev.monotick.job.JobId;
import dev.monotick.job.QueueFullException;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobOrder;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.Settings;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.Quotas;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/** Adds jobs in the open transaction, if the tenant may have them. */
@Component
class JobAdding {

  private static final Duration LATER = Duration.ofSeconds(5);

  private final PostgresStore store;
  private final Sql sql;
  private final Quotas quotas;
  private final Settings settings;
  private final Escalations escalations;

  JobAdding(
      PostgresStore store, Sql sql, Quotas quotas, Settings settings, Escalations escalations) {
    this.store = store;
    this.sql = sql;
    this.quotas = quotas;
    this.settings = settings;
    this.escalations = escalations;
  }

  /**
   * Adds jobs, all or none. How many are new is known only after that, since a unique key may be
   * one that a job has already; so the limit is checked then, under the lock of the tenant.
   */
  List<Enqueued> add(
      String tenant, List<JobDraft> drafts, JobOrder.Follow follow, Optional<JobId> parent) {
    quotas.enter(tenant);
    requireQueues(tenant, drafts);
    parent.ifPresent(id -> requireParent(tenant, id));
    Optional<Long> depth =
        Optional.of(settings.get(JobSettings.QUEUE_DEPTH)).filter(most -> most >= 0);
    List<Enqueued> added;
    try {
      added =
          sql.onConnection(
              connection ->
                  store.jobs().enqueue(connection, new JobOrder(drafts, follow, parent, depth)));
    } catch (QueueFullException e) {
      throw Problem.tooMany("queue-full", String.valueOf(e.getMessage()), LATER);
    }
    escalate(tenant, drafts, added);
    quotas.requireKept(tenant, Quota.ACTIVE_JOBS, added.stream().filter(Enqueued::isNew).count());
    return added;
  }

  private void escalate(String tenant, List<JobDraft> drafts, List<Enqueued> added) {
    for (int i = 0; i < drafts.size(); i++) {
      String rules = drafts.get(i).headers().get(ApprovalRules.HEADER);
      if (rules != null && added.get(i).isNew()) {
        escalations.add(tenant, added.get(i).id(), ApprovalRules.parse(rules));
      }
    }
  }

  private void requireParent(String tenant, JobId parent) {
    long found =
        sql.of(
                """
                select count(*) from @@job j join @@job_lane l on l.id = j.lane
                 where j.id = :id and l.tenant = :tenant
                """)
            .param("id", parent.value())
            .param("tenant", tenant)
            .query(Long.class)
            .single();
    if (found == 0) {
      throw Problem.invalid("parent", "parent: there is no job " + parent);
    }
  }

  /** A queue that was used once is known to all replicas for good, so nobody may make up many. */
  private void requireQueues(String tenant, List<JobDraft> drafts) {
    long most = settings.get(JobSettings.QUEUES);
    if (most < 0) {
      return;
    }
    Set<String> queues =
        new HashSet<>(
            sql.of("select distinct queue from @@job_lane where tenant = :tenant")
                .param("tenant", tenant)
                .query((row, number) -> row.getString(1))
                .list());
    for (JobDraft draft : drafts) {
      if (queues.add(draft.lane().queue()) && queues.size() > most) {
        throw Problem.invalid(
            "queue",
            "queue "
                + draft.lane().queue()
                + " would be one more than the "
                + most
                + " that a tenant may use; use one of "
                + queues.stream()
                    .filter(each -> !each.equals(draft.lane().queue()))
                    .sorted()
                    .limit(10)
                    .toList());
      }
    }
  }
}
