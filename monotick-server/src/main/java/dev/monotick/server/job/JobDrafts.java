package dev.monotick.server.job;

import dev.monotick.job.store.JobDraft;
import dev.monotick.server.access.Caller;
import dev.monotick.server.execution.WorkTypes;
import dev.monotick.server.problem.Problem;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Makes jobs of requests for them; what cannot be is refused under the field's name. */
@Component
class JobDrafts {

  private final WorkTypes types;
  private final PayloadBytes bytes;
  private final Approvals approvals;

  JobDrafts(WorkTypes types, PayloadBytes bytes, Approvals approvals) {
    this.types = types;
    this.bytes = bytes;
    this.approvals = approvals;
  }

  JobDraft draft(Caller caller, NewJob wanted) {
    JobDraft draft = wanted.draft(caller, types, bytes);
    Optional.ofNullable(draft.headers().get(ApprovalRules.HEADER))
        .ifPresent(text -> approvals.requireKeys(caller.tenant(), ApprovalRules.parse(text)));
    return draft;
  }

  /** The same for a job that is part of a request. */
  JobDraft draft(Caller caller, String field, @Nullable NewJob wanted) {
    if (wanted == null) {
      throw Problem.invalid(field, field + " must be a job, but was null");
    }
    if (wanted.parent() != null) {
      throw Problem.invalid(
          field + ".parent", field + ".parent: give it once, for all of the request");
    }
    try {
      return draft(caller, wanted);
    } catch (Problem problem) {
      Object inner = problem.document().get("field");
      throw inner == null
          ? problem
          : Problem.invalid(field + "." + inner, field + ": " + problem.detail());
    }
  }
}
