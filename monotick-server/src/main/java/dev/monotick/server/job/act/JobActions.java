package dev.monotick.server.job.act;

import dev.monotick.job.Job;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.job.admin.JobDecisions;
import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.job.view.JobFinder;
import dev.monotick.server.job.view.JobViews;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.web.EntityTags;
import dev.monotick.server.web.Idempotency;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

/**
 * Does something to one job, in one transaction with what is put on record of it. That is written
 * first, and undone if the engine says no: whoever decides about a job has the end of the tenant's
 * audit chain before the rows of the job, so that two of them never wait for each other.
 */
@Component
class JobActions {

  private final JobFinder finder;
  private final JobViews views;
  private final Idempotency idempotency;
  private final AuditTrail audit;
  private final Deciding deciding;

  /** Makes what decides about jobs in the transaction that is open. */
  @Component
  static final class Deciding {

    private final PostgresStore store;
    private final Sql sql;

    Deciding(PostgresStore store, Sql sql) {
      this.store = store;
      this.sql = sql;
    }

    JobDecisions now() {
      return sql.onConnection(store::jobDecisions);
    }
  }

  /** What the engine is asked to do; false if the job is in no state for it. */
  interface Decision {

    /** Does it. */
    boolean decide(JobDecisions decisions, Job job);
  }

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
  record ActionRequest(
      Caller caller,
      HttpServletRequest http,
      String id,
      @Nullable String ifMatch,
      @Nullable Object body) {}

  JobActions(
      JobFinder finder,
      JobViews views,
      Idempotency idempotency,
      AuditTrail audit,
      Deciding deciding) {
    this.finder = finder;
    this.views = views;
    this.idempotency = idempotency;
    this.audit = audit;
    this.deciding = deciding;
  }

  ResponseEntity<Object> act(ActionRequest asked, Act act, Runnable before, Decision decision) {
    AtomicReference<@Nullable JobDecisions> made = new AtomicReference<>();
    ResponseEntity<Object> answer = idempotently(asked, act, before, decision, made::set);
    Optional.ofNullable(made.get()).ifPresent(JobDecisions::signal);
    return answer;
  }

  private ResponseEntity<Object> idempotently(
      ActionRequest asked,
      Act act,
      Runnable before,
      Decision decision,
      Consumer<JobDecisions> made) {
    Caller caller = asked.caller();
    return idempotency.once(
        asked.http(),
        caller,
        asked.body(),
        () -> {
          Job job = finder.find(caller, asked.id());
          EntityTags.optional(asked.ifMatch(), JobViews.version(job));
          if (!act.allowed().test(job)) {
            throw conflict(job, act);
          }
          before.run();
          audit.append(AuditEntry.by(caller, act.action(), "job/" + job.id(), act.detail()));
          JobDecisions decisions = deciding.now();
          if (!decision.decide(decisions, job)) {
            throw conflict(finder.find(caller, asked.id()), act);
          }
          made.accept(decisions);
          Job after = decisions.find(job.id()).orElse(job);
          return ResponseEntity.ok()
              .eTag(EntityTags.tag(JobViews.version(after)))
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
