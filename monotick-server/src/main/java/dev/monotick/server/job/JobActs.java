package dev.monotick.server.job;

import dev.monotick.job.Job;
import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.web.Idempotency;
import dev.monotick.server.web.Versions;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

/**
 * Does something to one job. The engine does it in a transaction of its own, which commits before
 * ours: so what is put on record is written first, and undone if the engine says no. Only a crash
 * between both commits leaves an act of which the job's own record alone tells.
 */
@Component
class JobActs {

  private final JobFinder finder;
  private final JobViews views;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  /**
   * Something that is done to a job.
   *
   * @param action what the audit calls it
   * @param allowed whether the job is in a state for it
   * @param needs what the job must be, for people
   * @param detail what else the audit has of it
   */
  record Act(String action, Predicate<Job> allowed, String needs, Map<String, Object> detail) {}

  /** Who asks for what. */
  record Asked(
      Caller caller,
      HttpServletRequest http,
      String id,
      @Nullable String ifMatch,
      @Nullable Object body) {}

  JobActs(JobFinder finder, JobViews views, Idempotency idempotency, AuditTrail audit) {
    this.finder = finder;
    this.views = views;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  ResponseEntity<Object> act(Asked asked, Act act, Runnable before, Predicate<Job> engine) {
    Caller caller = asked.caller();
    return idempotency.once(
        asked.http(),
        caller,
        asked.body(),
        () -> {
          Job job = finder.find(caller, asked.id());
          Versions.optional(asked.ifMatch(), JobViews.version(job));
          if (!act.allowed().test(job)) {
            throw conflict(job, act);
          }
          before.run();
          audit.append(AuditEntry.by(caller, act.action(), "job/" + job.id(), act.detail()));
          if (!engine.test(job)) {
            throw conflict(finder.find(caller, asked.id()), act);
          }
          Job after = finder.find(caller, asked.id());
          return ResponseEntity.ok()
              .eTag(Versions.tag(JobViews.version(after)))
              .body(views.whole(after));
        });
  }

  /** Finds the job, for what must be known before. */
  Job find(Caller caller, String id) {
    return finder.find(caller, id);
  }

  private static Problem conflict(Job job, Act act) {
    return Problem.conflict(
            "wrong-state",
            "job " + job.id() + " is " + job.state() + "; this needs one that " + act.needs())
        .with("state", job.state().name());
  }
}
