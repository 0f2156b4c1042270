package dev.monotick.server.job.act;

import dev.monotick.job.Job;
import dev.monotick.job.JobState;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.job.act.JobActions.Act;
import dev.monotick.server.job.act.JobActions.ActionRequest;
import dev.monotick.server.job.approval.Approvals;
import dev.monotick.server.job.intake.NewJob;
import dev.monotick.server.job.view.JobDetail;
import dev.monotick.server.job.view.JobViews;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.spi.job.JobTransition;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Decides about single jobs. */
@RestController
@RequestMapping("/v1/jobs/{id}")
@RequiresRole(Role.OPERATOR)
@Tag(name = "jobs")
public class JobActionController {

  private static final int LONGEST_NOTE = 500;

  private final JobActions acts;
  private final Quotas quotas;
  private final Approvals approvals;

  /**
   * Why a job is called off.
   *
   * @param reason a line for people
   */
  record CancelBody(@Nullable String reason) {}

  /**
   * A word on a decision.
   *
   * @param note a line for people
   */
  record NoteBody(@Nullable String note) {}

  /**
   * Another time.
   *
   * @param at not before that moment
   */
  record RescheduleBody(@Nullable String at) {}

  JobActionController(JobActions acts, Quotas quotas, Approvals approvals) {
    this.acts = acts;
    this.quotas = quotas;
    this.approvals = approvals;
  }

  @PostMapping("/cancel")
  @Operation(summary = "Cancel a job in any state")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = JobDetail.class)))
  ResponseEntity<Object> cancel(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String id,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody(required = false) @Nullable CancelBody body) {
    String reason = text("reason", body == null ? null : body.reason());
    return acts.act(
        new ActionRequest(caller, http, id, ifMatch, body),
        new Act(
            "job_cancelled",
            job -> !job.state().isTerminal(),
            "has not ended",
            Map.of("reason", reason)),
        () -> {},
        (jobs, job) -> jobs.cancel(job.id(), caller.name(), reason));
  }

  @PostMapping("/retry")
  @Operation(summary = "Retry a job that did not succeed")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = JobDetail.class)))
  ResponseEntity<Object> retry(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String id,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
    Job job = acts.find(caller, id);
    return acts.act(
        new ActionRequest(caller, http, id, ifMatch, null),
        new Act(
            "job_retry",
            JobActionController::canRetry,
            "ended otherwise than well, and whose unique key no other job has by now",
            Map.of(
                "from",
                job.state().name(),
                "to",
                (job.rules().approval().isPresent() ? JobState.AWAITING_APPROVAL : JobState.READY)
                    .name(),
                "attempts",
                job.attempts().size(),
                "maxAttempts",
                job.rules().maxAttempts())),
        () -> quotas.requireAgain(caller.tenant(), 1),
        (jobs, found) -> !jobs.requeue(List.of(found.id()), caller.name()).isEmpty());
  }

  static boolean canRetry(Job job) {
    return JobTransition.REQUEUE.from().contains(job.state());
  }

  @PostMapping("/approve")
  @Operation(summary = "Approve a job; its creator may not approve it")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = JobDetail.class)))
  ResponseEntity<Object> approve(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String id,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody(required = false) @Nullable NoteBody body) {
    String note = text("note", body == null ? null : body.note());
    requireAnother(caller, acts.find(caller, id));
    return acts.act(
        new ActionRequest(caller, http, id, ifMatch, body),
        gated("job_approved", note),
        () -> {},
        (jobs, job) ->
            approvals.isFor(caller, acts.find(caller, id))
                && (!approvals.add(job, caller, note)
                    || jobs.approve(job.id(), caller.name(), note)));
  }

  @PostMapping("/reject")
  @Operation(summary = "Reject a job that awaits approval")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = JobDetail.class)))
  ResponseEntity<Object> reject(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String id,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody(required = false) @Nullable NoteBody body) {
    String note = text("note", body == null ? null : body.note());
    return acts.act(
        new ActionRequest(caller, http, id, ifMatch, body),
        gated("job_rejected", note),
        () -> {},
        (jobs, job) ->
            approvals.isFor(caller, acts.find(caller, id))
                && jobs.reject(job.id(), caller.name(), note));
  }

  @PostMapping("/reschedule")
  @Operation(summary = "Reschedule a job that waits for its time")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = JobDetail.class)))
  ResponseEntity<Object> reschedule(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String id,
      @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody RescheduleBody body) {
    Instant at = NewJob.moment("at", RequestFields.required("at", body.at()));
    return acts.act(
        new ActionRequest(caller, http, id, ifMatch, body),
        new Act(
            "job_rescheduled",
            job -> JobTransition.RESCHEDULE.from().contains(job.state()),
            "waits for its time",
            Map.of("at", at.toString())),
        () -> {},
        (jobs, job) -> jobs.reschedule(job.id(), at));
  }

  private static Act gated(String action, String note) {
    return new Act(
        action,
        job -> job.state() == JobState.AWAITING_APPROVAL,
        "awaits approval",
        Map.of("note", note));
  }

  /** Four eyes: whoever wanted a job, with whichever role, is not who lets it run. */
  private static void requireAnother(Caller caller, Job job) {
    if (caller.id().equals(JobViews.createdBy(job))) {
      throw Problem.forbidden(
          "job " + job.id() + " was created by this key; another caller must approve it");
    }
  }

  public static String text(String field, @Nullable String given) {
    if (given == null) {
      return "";
    }
    if (given.length() > LONGEST_NOTE) {
      throw Problem.invalid(
          field,
          field + " must be at most " + LONGEST_NOTE + " characters, but has " + given.length());
    }
    return given;
  }
}
