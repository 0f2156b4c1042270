package dev.monotick.server.job.intake;

import dev.monotick.server.access.Caller;
import dev.monotick.server.execution.WorkTypes;
import dev.monotick.server.job.approval.ApprovalRules;
import dev.monotick.server.job.approval.Approvals;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.trace.TraceHeaders;
import dev.monotick.server.trace.Tracing;
import dev.monotick.spi.job.JobDraft;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Makes jobs of requests for them; what cannot be is refused under the field's name. */
@Component
class JobDrafts {

  private final WorkTypes types;
  private final PayloadBytes bytes;
  private final Tracing tracing;
  private final Approvals approvals;

  JobDrafts(WorkTypes types, PayloadBytes bytes, Tracing tracing, Approvals approvals) {
    this.types = types;
    this.bytes = bytes;
    this.tracing = tracing;
    this.approvals = approvals;
  }

  /**
   * Returns the trace that jobs of a request become part of, as it came. None if we trace requests
   * ourselves: then their jobs are part of what we make of it.
   */
  Map<String, String> trace(HttpServletRequest request) {
    return tracing.isOn()
        ? Map.of()
        : TraceHeaders.of(
            request.getHeader(TraceHeaders.PARENT), request.getHeader(TraceHeaders.STATE));
  }

  /**
   * Makes a job.
   *
   * @param trace what it becomes part of unless it says another
   */
  JobDraft draft(Caller caller, NewJob wanted, Map<String, String> trace) {
    JobDraft draft = wanted.draft(caller, types, bytes);
    Optional.ofNullable(draft.headers().get(ApprovalRules.HEADER))
        .ifPresent(text -> approvals.requireKeys(caller.tenant(), ApprovalRules.parse(text)));
    return trace.isEmpty() || draft.headers().containsKey(TraceHeaders.PARENT)
        ? draft
        : TraceHeaders.given(draft, trace);
  }

  /** The same for a job that is part of a request. */
  JobDraft draft(Caller caller, String field, @Nullable NewJob wanted, Map<String, String> trace) {
    if (wanted == null) {
      throw Problem.invalid(field, field + " must be a job, but was null");
    }
    if (wanted.parent() != null) {
      throw Problem.invalid(
          field + ".parent", field + ".parent: give it once, for all of the request");
    }
    try {
      return draft(caller, wanted, trace);
    } catch (Problem problem) {
      Object inner = problem.document().get("field");
      throw inner == null
          ? problem
          : Problem.invalid(field + "." + inner, field + ": " + problem.detail());
    }
  }
}
