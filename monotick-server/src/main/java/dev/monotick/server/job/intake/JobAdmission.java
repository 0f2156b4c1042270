package dev.monotick.server.job.intake;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.server.job.approval.ApprovalRules;
import dev.monotick.server.job.approval.Escalations;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.server.trace.Tracing;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Adds jobs in the open transaction, if the tenant may have them. */
@Component
class JobAdmission {

  private final Quotas quotas;
  private final JobInserter insertion;
  private final Tracing tracing;
  private final Escalations escalations;

  JobAdmission(Quotas quotas, JobInserter insertion, Tracing tracing, Escalations escalations) {
    this.quotas = quotas;
    this.insertion = insertion;
    this.tracing = tracing;
    this.escalations = escalations;
  }

  /**
   * Adds jobs, all or none. How many are new is known only after that, since a unique key may be
   * one that a job has already; so the limit is checked then, under the lock of the tenant.
   */
  List<Enqueued> add(
      String tenant, List<JobDraft> drafts, EnqueueRequest.Follow follow, Optional<JobId> parent) {
    Quotas.Entry entry =
        insertion.mustBeAlone(tenant, drafts)
            ? quotas.enterExclusively(tenant)
            : quotas.enter(tenant);
    insertion.require(tenant, drafts, parent);
    List<Enqueued> added =
        tracing.addingDrafts(drafts, traced -> insertion.insert(traced, follow, parent));
    escalate(tenant, drafts, added);
    entry.requireKept(added.stream().filter(Enqueued::isNew).count());
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
}
