package dev.monotick.server.schedule.fire;

import dev.monotick.job.Enqueued;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.schedule.spec.ScheduleSpecCache;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.work.CatchUp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Makes jobs of ticks that waited for the end of the one before them, the oldest first. After an
 * outage firing comes before: it may pass over ticks that wait.
 */
@Component
public class QueuedTicks {

  private static final int BATCH = 100;

  private final Sql sql;
  private final FiringStore ledger;
  private final ScheduleSpecCache plans;
  private final Quotas quotas;
  private final ScheduleFirer.FiringEffects effects;

  private record Waiting(ScheduleRow schedule, Instant nominal) {}

  QueuedTicks(
      Sql sql,
      FiringStore ledger,
      ScheduleSpecCache plans,
      Quotas quotas,
      ScheduleFirer.FiringEffects aftermath) {
    this.sql = sql;
    this.ledger = ledger;
    this.plans = plans;
    this.quotas = quotas;
    this.effects = aftermath;
  }

  /** Looks for ticks that need not wait any longer. */
  public void release(String replica) {
    List<Enqueued> made = new ArrayList<>();
    sql.inTransaction(
        () -> {
          ledger.beImpatient();
          List<AuditEntry> entries = new ArrayList<>();
          for (Waiting each : waiting()) {
            release(each, replica, made, entries);
          }
          effects.audit().append(entries);
        });
    if (!made.isEmpty()) {
      effects.jobs().notifyWorkers();
    }
  }

  /** Locks schedules with a tick that waits for nothing; read again below, where it stays true. */
  private List<Waiting> waiting() {
    return sql.of(
            "select"
                + ScheduleRow.COLUMNS
                + """
                , q.nominal from @schedule s
                  join (select schedule, min(nominal) as nominal from @schedule_tick
                         where outcome is null and job_id is null and not cancel
                         group by schedule) q on q.schedule = s.id
                 where (s.due_at is null or s.due_at > now() - :late * interval '1 millisecond')
                   and not exists (
                         select from @schedule_tick t
                          where t.schedule = s.id and t.outcome is null and t.job_id is not null
                            and
                """
                + FiringStore.GOES_ON
                + ") order by s.tenant, s.id limit :limit for update of s skip locked")
        .param("limit", BATCH)
        .param("late", CatchUp.ON_TIME.toMillis())
        .query(
            (row, number) ->
                new Waiting(ScheduleRow.read(row), ScheduleRow.time(row, "nominal").orElseThrow()))
        .list();
  }

  private void release(
      Waiting each, String replica, List<Enqueued> made, List<AuditEntry> entries) {
    ScheduleRow schedule = each.schedule();
    Optional<TickSkipReason> refused = refused(schedule);
    if (refused.isPresent()) {
      if (end(each, refused.get())) {
        entries.add(entry(each, "schedule_skipped", Map.of("reason", refused.get().word())));
      }
      return;
    }
    if (ledger.open(List.of(schedule.id())).stream().anyMatch(open -> !open.queued())) {
      return; // another replica was faster
    }
    Enqueued job =
        effects
            .enqueue(
                sql,
                List.of(TickDecision.request(plans.stored(schedule), schedule, each.nominal())))
            .get(0);
    quotas.made(schedule.tenant(), job.isNew() ? 1 : 0);
    if (begin(each, job.id().value(), replica)) {
      made.add(job);
      entries.add(entry(each, "schedule_fired", Map.of("job", job.id().toString())));
    } else {
      throw new IllegalStateException("tick " + each + " was taken by another replica");
    }
  }

  private Optional<TickSkipReason> refused(ScheduleRow schedule) {
    if (!schedule.enabled()) {
      return Optional.of(TickSkipReason.DISABLED);
    }
    if (schedule.pausedUntil().isPresent()) {
      return Optional.of(TickSkipReason.PAUSED);
    }
    return quotas.room(schedule.tenant(), Quota.ACTIVE_JOBS) < 1
        ? Optional.of(TickSkipReason.QUOTA)
        : Optional.empty();
  }

  private boolean begin(Waiting each, long job, String replica) {
    ledger.take(each.schedule());
    sql.of("update @schedule set fired = fired + 1 where id = :id")
        .param("id", each.schedule().id())
        .update();
    return sql.of(
                """
                update @schedule_tick
                   set job_id = :job, fired_at = clock_timestamp(), replica = :replica,
                       fence = :fence
                 where schedule = :id and nominal = :nominal and trigger = ''
                   and outcome is null and job_id is null
                """)
            .param("job", job)
            .param("replica", replica)
            .param("fence", each.schedule().nextFence())
            .param("id", each.schedule().id())
            .param("nominal", java.sql.Timestamp.from(each.nominal()))
            .update()
        == 1;
  }

  private boolean end(Waiting each, TickSkipReason reason) {
    sql.of("update @schedule set skipped = skipped + 1 where id = :id")
        .param("id", each.schedule().id())
        .update();
    return sql.of(
                """
                update @schedule_tick set outcome = :outcome, reason = :reason, ended_at = now()
                 where schedule = :id and nominal = :nominal and trigger = ''
                   and outcome is null and job_id is null
                """)
            .param("outcome", reason.outcome())
            .param("reason", reason.word())
            .param("id", each.schedule().id())
            .param("nominal", java.sql.Timestamp.from(each.nominal()))
            .update()
        == 1;
  }

  private static AuditEntry entry(Waiting each, String action, Map<String, Object> more) {
    Map<String, Object> detail = new java.util.LinkedHashMap<>(more);
    detail.put("name", each.schedule().name());
    detail.put("nominal", each.nominal().toString());
    return AuditEntry.bySystem(each.schedule().tenant(), action, each.schedule().subject(), detail);
  }
}
