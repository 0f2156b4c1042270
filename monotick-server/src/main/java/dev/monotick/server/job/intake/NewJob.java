package dev.monotick.server.job.intake;

import dev.monotick.job.JobId;
import dev.monotick.job.JobRequest;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.server.access.Caller;
import dev.monotick.server.execution.WorkTypes;
import dev.monotick.server.job.approval.ApprovalRules;
import dev.monotick.server.job.approval.Approvals;
import dev.monotick.server.job.approval.NewApproval;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.spi.job.JobDraft;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A job that somebody wants: the work, as {@link JobSpec} has it, and when and after what.
 *
 * @param delay how long from now
 * @param at not before that moment
 * @param deadline after that moment it is not tried any more
 * @param uniqueWindow how long it has the unique key; until its end if not given
 * @param approval it waits for somebody's approval
 * @param parent the job it belongs to
 * @param headers what travels with it: traceparent and the like, and x-…
 */
public record NewJob(
    @Nullable String kind,
    @Nullable JsonNode payload,
    @Nullable String queue,
    @Nullable Integer priority,
    @Nullable Integer maxAttempts,
    @Nullable String timeout,
    @Nullable String uniqueKey,
    @Nullable String limitKey,
    @Nullable String delay,
    @Nullable String at,
    @Nullable String deadline,
    @Nullable String uniqueWindow,
    @Nullable NewApproval approval,
    @Nullable String parent,
    @Nullable Map<String, String> headers) {

  /** The header that says who wanted a job. */
  public static final String CREATED_BY = "created-by";

  /** Others are ours, and decide what a job may do. */
  private static final List<String> OPEN_HEADERS = List.of("traceparent", "tracestate", "baggage");

  /** Makes a job of it; refuses, under the field's name, what cannot be. */
  JobDraft draft(Caller caller, WorkTypes types, PayloadBytes bytes) {
    requirePlain("uniqueKey", uniqueKey);
    requirePlain("limitKey", limitKey);
    JobRequest<?> request =
        new JobSpec(
                kind,
                payload,
                queue,
                priority,
                maxAttempts,
                timeout,
                uniqueWindow == null ? uniqueKey : null,
                limitKey)
            .request(caller.tenant(), types);
    request = timed(request);
    if (uniqueWindow != null) {
      request = unique(request, RequestFields.required("uniqueKey", uniqueKey), uniqueWindow);
    }
    request = headed(request, headers == null ? Map.of() : headers).header(CREATED_BY, caller.id());
    request = gated(request, caller);
    return new JobDraft(
        request.lane(),
        request.kind().version(),
        bytes.of(request.payload()),
        request.start(),
        approved(request.rules()),
        request.unique(),
        request.limitKey(),
        request.headers());
  }

  /** Returns the parent's name, if there is one. */
  Optional<JobId> parentId() {
    String given = parent;
    return given == null
        ? Optional.empty()
        : Optional.of(RequestFields.checked("parent", () -> JobId.parse(given)));
  }

  private JobRequest<?> timed(JobRequest<?> request) {
    JobRequest<?> timed = request;
    if (delay != null && at != null) {
      throw Problem.invalid("at", "give delay or at, not both");
    }
    if (delay != null) {
      JobRequest<?> before = timed;
      Duration length = RequestFields.duration("delay", delay);
      timed = RequestFields.<JobRequest<?>>checked("delay", () -> before.delay(length));
    }
    if (at != null) {
      timed = timed.at(moment("at", at));
    }
    if (deadline != null) {
      timed = timed.deadline(moment("deadline", deadline));
    }
    return timed;
  }

  public static Instant moment(String field, String text) {
    Instant moment = RequestFields.instant(field, text);
    return RequestFields.checked(field, () -> JobStart.requireMoment(field, moment));
  }

  private static JobRequest<?> unique(JobRequest<?> request, String key, String window) {
    Duration length = RequestFields.duration("uniqueWindow", window);
    return RequestFields.<JobRequest<?>>checked(
        "uniqueWindow", () -> request.uniqueKey(key, length));
  }

  private static JobRequest<?> headed(JobRequest<?> request, Map<String, String> headers) {
    JobRequest<?> headed = request;
    for (Map.Entry<String, String> each : headers.entrySet()) {
      String name = each.getKey();
      String field = "headers." + name;
      if (!OPEN_HEADERS.contains(name) && !name.matches("x-[a-z0-9-]{1,90}")) {
        throw Problem.invalid(
            field, field + " must be one of " + OPEN_HEADERS + " or x-… of a-z, 0-9 and -");
      }
      String value = RequestFields.required(field, each.getValue());
      requirePlain(field, value);
      JobRequest<?> before = headed;
      headed = RequestFields.<JobRequest<?>>checked(field, () -> before.header(name, value));
    }
    return headed;
  }

  /** The database has no such character, and without it two keys might be one. */
  private static void requirePlain(String field, @Nullable String text) {
    if (text != null && text.indexOf(0) >= 0) {
      throw Problem.invalid(field, field + " must not have the character \\u0000");
    }
  }

  private JobRequest<?> gated(JobRequest<?> request, Caller caller) {
    NewApproval wanted = approval;
    if (wanted == null) {
      return request;
    }
    JobRequest<?> gated = request;
    if (wanted.needed().isPresent()) {
      gated = gated.header(Approvals.NEEDED, String.valueOf(wanted.needed().get()));
    }
    Optional<ApprovalRules> rules = wanted.rules(caller);
    if (rules.isPresent()) {
      JobRequest<?> before = gated;
      gated =
          RequestFields.<JobRequest<?>>checked(
              "approval", () -> before.header(ApprovalRules.HEADER, rules.get().text()));
    }
    return gated;
  }

  private JobRules approved(JobRules rules) {
    NewApproval wanted = approval;
    if (wanted == null) {
      return rules;
    }
    Duration within = wanted.longest();
    return RequestFields.checked(
        "approval.within",
        () ->
            new JobRules(
                rules.maxAttempts(),
                rules.timeout(),
                rules.deadline(),
                rules.effect(),
                Optional.of(within)));
  }
}
