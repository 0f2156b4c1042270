package dev.monotick.server.schedule;

import dev.monotick.Monotick;
import dev.monotick.job.Enqueued;
import dev.monotick.job.JobRequest;
import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.schedule.ScheduleRecords.Locked;
import dev.monotick.server.schedule.fire.DueTicks;
import dev.monotick.server.schedule.fire.FiringStore;
import dev.monotick.server.schedule.fire.ScheduleFirer;
import dev.monotick.server.schedule.fire.TickDecision;
import dev.monotick.server.schedule.fire.TickInsert;
import dev.monotick.server.schedule.fire.TickSkipReason;
import dev.monotick.server.schedule.spec.SchedulePlan;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.schedule.spec.ScheduleSpecCache;
import dev.monotick.server.tenant.Quota;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/**
 * What people do with schedules beside changing them. Each is part of a transaction that is open,
 * or one of its own.
 */
@Component
class ScheduleActions {

  private final Sql sql;
  private final ScheduleRecords schedules;
  private final ScheduleSpecCache plans;
  private final FiringStore ledger;
  private final ActionContext around;

  /**
   * What they need of others.
   *
   * @param guards quotas and audit
   * @param effects where jobs go
   * @param engine says what this replica is called
   */
  record ActionContext(
      ScheduleEdits.EditChecks guards,
      ScheduleFirer.FiringEffects effects,
      ObjectProvider<Monotick> engine) {}

  /**
   * What a trigger made.
   *
   * @param job the job
   * @param nominal the time it stands for
   */
  record Triggered(String job, Instant nominal) {}

  /**
   * What a backfill made.
   *
   * @param created jobs that were made
   * @param present nominal times that had a job already
   */
  record Backfilled(int created, int present, List<Triggered> jobs) {}

  ScheduleActions(
      Sql sql,
      ScheduleRecords schedules,
      ScheduleSpecCache plans,
      FiringStore ledger,
      ActionContext around) {
    this.sql = sql;
    this.schedules = schedules;
    this.plans = plans;
    this.ledger = ledger;
    this.around = around;
  }

  /** Switches a schedule on or off; says whether that was a change. Its off time is passed over. */
  boolean enable(Caller caller, Locked locked, boolean enabled) {
    ScheduleRow stored = locked.stored();
    if (stored.enabled() == enabled) {
      return false;
    }
    Optional<Instant> next = stored.nextAt();
    if (enabled) {
      next = passOver(locked, TickSkipReason.DISABLED);
    }
    schedules.enable(caller, locked, enabled, next);
    audit(caller, locked, enabled ? "schedule_enabled" : "schedule_disabled", Map.of());
    return true;
  }

  /** Pauses a schedule, whether or not it is paused. */
  void pause(Caller caller, Locked locked, Optional<Instant> until, String note) {
    if (until.isPresent() && !until.get().isAfter(locked.now())) {
      throw Problem.invalid(
          "until", "until must be after now (" + locked.now() + "), but was " + until.get());
    }
    schedules.pause(caller, locked, until, note);
    audit(
        caller,
        locked,
        "schedule_paused",
        Map.of("until", until.map(Instant::toString).orElse("resumed"), "note", note));
  }

  /** Resumes a schedule; says whether that was a change. What was due meanwhile is passed over. */
  boolean resume(Caller caller, Locked locked) {
    if (locked.stored().pausedUntil().isEmpty()) {
      return false;
    }
    schedules.resume(locked, passOver(locked, TickSkipReason.PAUSED));
    audit(caller, locked, "schedule_resumed", Map.of());
    return true;
  }

  private Optional<Instant> passOver(Locked locked, TickSkipReason reason) {
    ScheduleRow stored = locked.stored();
    List<DueTicks.SkippedTicks> passed = new ArrayList<>();
    Optional<Instant> next =
        DueTicks.passOver(
            plans.usable(stored).times(), stored.nextAt(), locked.now(), reason, passed);
    if (!passed.isEmpty()) {
      ledger.take(stored);
    }
    for (DueTicks.SkippedTicks range : passed) {
      ledger.insert(List.of(TickInsert.passed(stored, range)), replica());
      schedules.count(stored.id(), 0, range.count());
    }
    return next;
  }

  /**
   * Makes a job now, beside the schedule's times and whatever else it does.
   *
   * @param key of the caller; what it made once it does not make again
   */
  Triggered trigger(Caller caller, Locked locked, String key) {
    ScheduleRow stored = locked.stored();
    String trigger = "key:" + key;
    Optional<Triggered> before = triggered(stored, trigger);
    if (before.isPresent()) {
      return before.get();
    }
    Instant nominal = locked.now().truncatedTo(ChronoUnit.MILLIS);
    around.guards().quotas().require(caller.tenant(), Quota.ACTIVE_JOBS, 1);
    JobRequest<?> request =
        TickDecision.request(plans.usable(stored), stored, nominal)
            .header("created-by", caller.id());
    Enqueued job = around.effects().enqueue(sql, List.of(request)).get(0);
    ledger.take(stored);
    around.guards().quotas().made(caller.tenant(), job.isNew() ? 1 : 0);
    ledger.insert(
        List.of(TickInsert.triggered(stored, nominal, trigger, job.id().value())), replica());
    schedules.count(stored.id(), 1, 0);
    audit(caller, locked, "schedule_triggered", Map.of("job", job.id().toString()));
    return new Triggered(job.id().toString(), nominal);
  }

  private Optional<Triggered> triggered(ScheduleRow stored, String trigger) {
    return sql.of(
            """
            select job_id, nominal from @schedule_tick
             where schedule = :id and trigger = :trigger and starts_with(trigger, 'key:')
            """)
        .param("id", stored.id())
        .param("trigger", trigger)
        .query(
            (row, number) ->
                new Triggered(
                    String.valueOf(row.getLong("job_id")),
                    ScheduleRow.time(row, "nominal").orElseThrow()))
        .optional();
  }

  /** Makes a job of each nominal time that has none. Times that are still due are left alone. */
  Backfilled backfill(Caller caller, Locked locked, Instant from, Instant to, int limit) {
    ScheduleRow stored = locked.stored();
    SchedulePlan plan = plans.usable(stored);
    if (plan.followsEnds()) {
      throw Problem.conflict(
          "no-past-times", "a schedule with fixedDelay has no times to make up for; trigger it");
    }
    Instant end = stored.nextAt().filter(next -> next.isBefore(to)).orElse(to);
    if (plan.times().count(from, end) > limit) {
      throw Problem.invalid(
          "limit",
          "from "
              + from
              + " to "
              + end
              + " are "
              + plan.times().count(from, end)
              + " times, more than the limit of "
              + limit
              + "; choose a shorter range");
    }
    List<Instant> all = plan.times().between(from, end, limit);
    List<Instant> wanted = new ArrayList<>(all);
    wanted.removeAll(withJobs(stored, from, end));
    if (!wanted.isEmpty()) {
      around.guards().quotas().require(caller.tenant(), Quota.ACTIVE_JOBS, wanted.size());
    }
    List<JobRequest<?>> requests = new ArrayList<>();
    wanted.forEach(
        nominal ->
            requests.add(
                TickDecision.request(plan, stored, nominal).header("created-by", caller.id())));
    List<Enqueued> made = around.effects().enqueue(sql, requests);
    around.guards().quotas().made(caller.tenant(), made.stream().filter(Enqueued::isNew).count());
    List<TickInsert> ticks = new ArrayList<>();
    List<Triggered> jobs = new ArrayList<>();
    for (int i = 0; i < made.size(); i++) {
      long job = made.get(i).id().value();
      ticks.add(TickInsert.triggered(stored, wanted.get(i), TickInsert.BACKFILL, job));
      jobs.add(new Triggered(String.valueOf(job), wanted.get(i)));
    }
    ledger.take(stored);
    ledger.insert(ticks, replica());
    schedules.count(stored.id(), made.size(), 0);
    audit(
        caller,
        locked,
        "schedule_backfilled",
        Map.of("from", from.toString(), "to", to.toString(), "jobs", made.size()));
    return new Backfilled(made.size(), all.size() - made.size(), jobs);
  }

  private Set<Instant> withJobs(ScheduleRow stored, Instant from, Instant to) {
    return new HashSet<>(
        sql.of(
                """
                select distinct nominal from @schedule_tick
                 where schedule = :id and nominal >= :from and nominal < :to
                   and (job_id is not null or outcome is null)
                   and not starts_with(trigger, 'key:')
                """)
            .param("id", stored.id())
            .param("from", java.sql.Timestamp.from(from))
            .param("to", java.sql.Timestamp.from(to))
            .query((row, number) -> ScheduleRow.time(row, "nominal").orElseThrow())
            .list());
  }

  private void audit(Caller caller, Locked locked, String action, Map<String, Object> more) {
    Map<String, Object> detail = new LinkedHashMap<>(more);
    detail.put("name", locked.stored().name());
    around
        .guards()
        .audit()
        .append(AuditEntry.by(caller, action, locked.stored().subject(), detail));
  }

  private String replica() {
    return around.engine().getObject().replicaName();
  }
}
