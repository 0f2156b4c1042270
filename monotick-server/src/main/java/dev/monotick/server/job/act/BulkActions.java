package dev.monotick.server.job.act;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.job.quota.RetainedJobs;
import dev.monotick.server.job.view.JobFinder;
import dev.monotick.server.job.view.JobListing;
import dev.monotick.server.job.view.JobQuery;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.server.web.Idempotency;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

/**
 * Does something to many jobs. Each is decided for itself, by the engine, so what was done stays
 * done; that it was asked for is on record before anything is.
 */
@Component
class BulkActions {

  private final Jobs jobs;
  private final JobFinder finder;
  private final JobListing listing;
  private final ActionRecorder ledger;
  private final Quotas quotas;

  /** What can be done to many. */
  enum Action {
    /** Call off what has not ended. */
    CANCEL,
    /** Run again what ended otherwise than well. */
    RETRY,
    /** Forget dead letters. */
    PURGE
  }

  /** Who asks. */
  record BulkRequest(Caller caller, HttpServletRequest http, Object body) {}

  /**
   * What was done.
   *
   * @param action what
   * @param matched how many jobs were meant
   * @param done to how many it was done
   * @param left to how many not: they moved meanwhile, or the quota has no room
   * @param ids to which
   * @param more whether others match that were beyond the limit
   */
  record Done(String action, int matched, int done, int left, List<String> ids, boolean more) {}

  /** Where it is written down: once for a key, in the audit, and what is kept of jobs. */
  @Component
  static class ActionRecorder {

    private final Idempotency idempotency;
    private final AuditTrail audit;
    private final RetainedJobs retained;

    ActionRecorder(Idempotency idempotency, AuditTrail audit, RetainedJobs retained) {
      this.idempotency = idempotency;
      this.audit = audit;
      this.retained = retained;
    }
  }

  BulkActions(
      Jobs jobs, JobFinder finder, JobListing listing, ActionRecorder ledger, Quotas quotas) {
    this.jobs = jobs;
    this.finder = finder;
    this.listing = listing;
    this.ledger = ledger;
    this.quotas = quotas;
  }

  ResponseEntity<Object> byFilter(BulkRequest asked, Action action, JobQuery filter, int limit) {
    String tenant = asked.caller().tenant();
    JobQuery wanted =
        action == Action.PURGE && filter.state() == null ? filter.withState(JobState.DEAD) : filter;
    return once(
        asked,
        action,
        () -> {
          List<JobId> ids = new ArrayList<>();
          long below = Long.MAX_VALUE;
          boolean more = true;
          while (more && ids.size() < limit) {
            JobListing.Found found = listing.find(tenant, wanted, below, limit - ids.size());
            found.jobs().stream().filter(job -> fits(job, action)).map(Job::id).forEach(ids::add);
            more = found.next().isPresent();
            below = found.next().orElse(0L);
          }
          return apply(asked.caller(), action, ids, ids.size(), more);
        });
  }

  ResponseEntity<Object> byIds(BulkRequest asked, Action action, List<String> ids) {
    List<JobId> given = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      String text = ids.get(i);
      given.add(RequestFields.checked("ids[" + i + "]", () -> JobId.parse(String.valueOf(text))));
    }
    List<JobId> distinct = given.stream().distinct().toList();
    return once(
        asked,
        action,
        () -> {
          List<JobId> owned = finder.owned(asked.caller().tenant(), distinct);
          return apply(asked.caller(), action, owned, distinct.size(), false);
        });
  }

  private interface Work {
    Done get();
  }

  private ResponseEntity<Object> once(BulkRequest asked, Action action, Work work) {
    Caller caller = asked.caller();
    String word = action.name().toLowerCase(Locale.ROOT);
    ledger.audit.append(
        AuditEntry.by(
            caller, "jobs_bulk_asked", "jobs", Map.of("action", word, "for", text(asked.body()))));
    return ledger.idempotency.once(
        asked.http(),
        caller,
        asked.body(),
        () -> {
          Done done = work.get();
          ledger.audit.append(
              AuditEntry.by(
                  caller,
                  "jobs_bulk_done",
                  "jobs",
                  Map.of("action", word, "matched", done.matched(), "done", done.done())));
          return ResponseEntity.ok(done);
        });
  }

  private Done apply(Caller caller, Action action, List<JobId> ids, int matched, boolean more) {
    List<JobId> done =
        switch (action) {
          case CANCEL ->
              ids.stream()
                  .filter(id -> jobs.cancel(id, caller.name(), "cancelled with many"))
                  .toList();
          case RETRY -> requeue(caller, ids);
          case PURGE -> ledger.retained.purge(ids);
        };
    return new Done(
        action.name(),
        matched,
        done.size(),
        matched - done.size(),
        done.stream().map(JobId::toString).toList(),
        more);
  }

  /** As many as there is room for, the oldest first. */
  private List<JobId> requeue(Caller caller, List<JobId> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    long room = quotas.roomAgain(caller.tenant());
    if (room == 0) {
      quotas.requireAgain(caller.tenant(), 1); // says so
    }
    List<JobId> oldest = ids.stream().sorted().limit(room).toList();
    return jobs.requeue(oldest, caller.name());
  }

  private static boolean fits(Job job, Action action) {
    return switch (action) {
      case CANCEL -> !job.state().isTerminal();
      case RETRY -> JobActionController.canRetry(job);
      case PURGE -> job.state() == JobState.DEAD;
    };
  }

  private static String text(Object body) {
    String text = body.toString();
    return text.length() <= 500 ? text : text.substring(0, 500) + "…";
  }
}
