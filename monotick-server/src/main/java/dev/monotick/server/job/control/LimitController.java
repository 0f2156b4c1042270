package dev.monotick.server.job.control;

import dev.monotick.job.JobLimit;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.job.act.JobActionController;
import dev.monotick.server.job.kind.JobKinds;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.EntityTags;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Limits on jobs, for all replicas. What a limit bounds is in its address: {@code ?kind=http},
 * {@code ?kind=http&tenant=acme}, {@code ?kind=http&tenant=*} for each tenant apart, {@code
 * ?kind=http&perKey=true} for each limit key apart, {@code ?tenant=acme} for all its jobs.
 */
@RestController
@RequestMapping("/v1/limits")
@Tag(name = "limits", description = "How many jobs run at a time, and how many start per period")
class LimitController {

  private static final int MOST = 1_000_000;
  private static final Duration LONGEST = Duration.ofDays(1);

  private final Limits limits;
  private final JobKinds kinds;

  /**
   * What a limit is to be; at least one of running and rate.
   *
   * @param running at most so many at a time
   * @param rate at most so many begin in a while
   * @param note why, for people
   */
  record LimitRequest(
      @Nullable Integer running, @Nullable RateRequest rate, @Nullable String note) {}

  /**
   * So many in a while.
   *
   * @param count how many
   * @param period in which time, such as PT1S
   */
  record RateRequest(@Nullable Integer count, @Nullable String period) {}

  /**
   * Limits.
   *
   * @param items each
   */
  record AllLimits(List<Limits.Limit> items) {}

  LimitController(Limits limits, JobKinds kinds) {
    this.limits = limits;
    this.kinds = kinds;
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List limits on jobs; a tenant sees those that bind it")
  AllLimits list(Caller caller) {
    return new AllLimits(limits.all(caller.home()));
  }

  @PutMapping
  @RequiresRole(value = Role.ADMIN, platform = true)
  @Operation(
      summary = "Set a limit on jobs for all replicas; If-Match if there is one of that scope")
  ResponseEntity<Limits.Limit> set(
      Caller caller,
      @RequestParam(required = false) @Nullable String kind,
      @RequestParam(required = false) @Nullable String tenant,
      @RequestParam(required = false) @Nullable Boolean perKey,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody LimitRequest request) {
    JobLimit limit = limit(scope(kind, tenant, perKey), request);
    String note = JobActionController.text("note", request.note());
    boolean isNew = limits.set(caller, limit, note, ifMatch);
    Limits.Limit now =
        limits
            .find(limit.scope())
            .orElseThrow(() -> Problem.notFound("limit", Limits.words(limit.scope())));
    return ResponseEntity.status(isNew ? 201 : 200).eTag(EntityTags.tag(now.version())).body(now);
  }

  @DeleteMapping
  @RequiresRole(value = Role.ADMIN, platform = true)
  @Operation(summary = "Remove a limit on jobs")
  ResponseEntity<Void> remove(
      Caller caller,
      @RequestParam(required = false) @Nullable String kind,
      @RequestParam(required = false) @Nullable String tenant,
      @RequestParam(required = false) @Nullable Boolean perKey,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    limits.remove(caller, named(kind, tenant, perKey), ifMatch);
    return ResponseEntity.noContent().build();
  }

  private JobLimit.Scope scope(
      @Nullable String kind, @Nullable String tenant, @Nullable Boolean perKey) {
    JobLimit.Scope scope = named(kind, tenant, perKey);
    if (!scope.kind().isEmpty()) {
      kinds.requireKnown("kind", scope.kind());
    }
    boolean one = !scope.tenant().isEmpty() && !scope.tenant().equals(JobLimit.Scope.EACH);
    if (one && !limits.isTenant(scope.tenant())) {
      throw Problem.invalid("tenant", "there is no tenant " + scope.tenant() + "; create it first");
    }
    return scope;
  }

  private static JobLimit.Scope named(
      @Nullable String kind, @Nullable String tenant, @Nullable Boolean perKey) {
    if (kind == null && tenant == null) {
      throw Problem.invalid(
          "kind", "say what the limit bounds: ?kind=…, ?tenant=… (* for each apart), or both");
    }
    boolean keyed = Optional.ofNullable(perKey).orElse(false);
    if (keyed && (kind == null || tenant != null)) {
      throw Problem.invalid("perKey", "a limit per key is one of a kind, for all tenants");
    }
    boolean each = JobLimit.Scope.EACH.equals(tenant);
    return new JobLimit.Scope(
        kind == null ? "" : RequestFields.name("kind", kind, 100),
        tenant == null ? "" : each ? tenant : RequestFields.name("tenant", tenant, 100),
        keyed);
  }

  private static JobLimit limit(JobLimit.Scope scope, LimitRequest request) {
    RateRequest rate = request.rate();
    if (request.running() == null && rate == null) {
      throw Problem.invalid(
          "running", "give running, rate, or both; to remove a limit, use DELETE");
    }
    if (scope.perKey() && (request.running() == null || rate != null)) {
      throw Problem.invalid("rate", "a limit per key bounds what runs: give running alone");
    }
    Optional<Integer> running =
        Optional.ofNullable(request.running())
            .map(most -> RequestFields.number("running", most, 1, 1, MOST));
    return new JobLimit(scope, running, Optional.ofNullable(rate).map(LimitController::rate));
  }

  private static JobLimit.Rate rate(RateRequest request) {
    int count =
        RequestFields.number(
            "rate.count", RequestFields.required("rate.count", request.count()), 1, 1, MOST);
    String text = RequestFields.required("rate.period", request.period());
    Duration period = RequestFields.duration("rate.period", text);
    if (period.compareTo(Duration.ofMillis(1)) < 0 || period.compareTo(LONGEST) > 0) {
      throw Problem.invalid(
          "rate.period", "rate.period must be from PT0.001S to " + LONGEST + ", but was " + text);
    }
    return new JobLimit.Rate(count, period);
  }
}
