package dev.monotick.server.schedule.fire;

import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.schedule.spec.ScheduleSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells ticks how their jobs ended, and schedules how they are doing: a tick ends once, by an
 * update that finds it open. Rows that another replica is at are left to it.
 */
@Component
public class TickReconciler {

  private static final int BATCH = 1_000;
  private static final int CANCELS = 100;

  private final Sql sql;
  private final JsonMapper json;
  private final Jobs jobs;
  private final FiringStore ledger;
  private final AuditTrail audit;

  /** A tick that ended now. */
  private record EndedTick(UUID schedule, String outcome, @Nullable String reason, Instant at) {}

  /**
   * What ends mean for a schedule, for JSON.
   *
   * @param succeeded how many more
   * @param failed how many more
   * @param failures in a row, since the last of these that succeeded
   * @param reason of the last failure
   */
  private record Result(
      UUID schedule, long succeeded, long failed, int failures, @Nullable String reason) {}

  private record Failing(ScheduleRow schedule, int failures, String reason) {}

  TickReconciler(Sql sql, JsonMapper json, Jobs jobs, FiringStore ledger, AuditTrail audit) {
    this.sql = sql;
    this.json = json;
    this.jobs = jobs;
    this.ledger = ledger;
    this.audit = audit;
  }

  /** Looks at all ticks whose jobs have ended. */
  public void reconcile() {
    cancelUnwanted();
    int settled;
    do {
      settled = sql.transaction(this::reconcileSome);
    } while (settled == BATCH);
  }

  /**
   * Calls off jobs that newer ticks wait for. Asked for again until they have ended, so it does not
   * matter whether the replica that wanted it still lives.
   */
  private void cancelUnwanted() {
    sql.of(
            """
            update @schedule_tick
               set outcome = 'CANCELLED', reason = 'a newer tick took its place', ended_at = now()
             where outcome is null and cancel and job_id is null
            """)
        .update();
    List<Long> unwanted =
        sql.of(
                "select t.job_id from @schedule_tick t where t.outcome is null and t.cancel and "
                    + FiringStore.GOES_ON
                    + " limit :limit")
            .param("limit", CANCELS)
            .query((row, number) -> row.getLong(1))
            .list();
    for (Long job : unwanted) {
      jobs.cancel(new JobId(job), "schedule", "a newer tick took its place");
    }
  }

  private int reconcileSome() {
    ledger.beImpatient();
    List<EndedTick> ended = end();
    if (ended.isEmpty()) {
      return 0;
    }
    List<Result> results =
        ended.stream()
            .collect(Collectors.groupingBy(EndedTick::schedule, TreeMap::new, Collectors.toList()))
            .entrySet()
            .stream()
            .map(each -> result(each.getKey(), each.getValue()))
            .toList();
    List<UUID> failed =
        results.stream().filter(each -> each.failures() > 0).map(Result::schedule).toList();
    if (!failed.isEmpty()) {
      ledger.lock(failed); // schedules before their results, as all do
    }
    record(results);
    List<AuditEntry> entries = new ArrayList<>();
    for (Failing failing : failed.isEmpty() ? List.<Failing>of() : failing(failed)) {
      slowDown(failing, entries);
    }
    audit.append(entries);
    return ended.size();
  }

  /** Ends ticks; locks them, skipping what others have. */
  private List<EndedTick> end() {
    return sql.of(
            """
            with ended as (
              select t.schedule, t.nominal, t.trigger, e.outcome, e.ended_at, e.detail
                from @schedule_tick t
               cross join lateral (
                 select a.outcome, a.ended_at, a.detail from @@job_attempt a
                  where a.job_id = t.job_id order by a.run desc limit 1) e
               where t.outcome is null and t.job_id is not null and e.outcome in %s
               order by t.schedule, t.nominal, t.trigger
               limit :limit for update of t skip locked)
            update @schedule_tick t
               set outcome = case e.outcome when 0 then 'SUCCEEDED' when 3 then 'FAILED'
                                            when 7 then 'FAILED' when 8 then 'UNKNOWN'
                                            when 10 then 'REJECTED' when 11 then 'EXPIRED'
                                            else 'CANCELLED' end,
                   reason = left(e.detail, 1000), ended_at = e.ended_at
              from ended e
             where t.schedule = e.schedule and t.nominal = e.nominal and t.trigger = e.trigger
               and t.outcome is null
            returning t.schedule, t.outcome, t.reason, t.ended_at
            """
                .formatted(FiringStore.ENDED))
        .param("limit", BATCH)
        .query(
            (row, number) ->
                new EndedTick(
                    row.getObject("schedule", UUID.class),
                    row.getString("outcome"),
                    row.getString("reason"),
                    ScheduleRow.time(row, "ended_at").orElseThrow()))
        .list();
  }

  private static Result result(UUID schedule, List<EndedTick> ended) {
    long succeeded = 0;
    long failed = 0;
    int failures = 0;
    String reason = null;
    List<EndedTick> inOrder = new ArrayList<>(ended);
    inOrder.sort(Comparator.comparing(EndedTick::at));
    for (EndedTick each : inOrder) {
      switch (each.outcome()) {
        case "SUCCEEDED" -> {
          succeeded++;
          failures = 0;
        }
        case "FAILED", "UNKNOWN", "EXPIRED" -> {
          failed++;
          failures++;
          reason = each.reason();
        }
        default -> {} // called off by somebody: neither
      }
    }
    return new Result(schedule, succeeded, failed, failures, reason);
  }

  /** Adds to the rows of results, locked in the order of their ids. */
  private void record(List<Result> results) {
    sql.of(
            """
            insert into @schedule_result as r
              (schedule, succeeded, failed, failures, last_failure)
            select d.schedule, d.succeeded, d.failed, d.failures, d.reason
              from json_to_recordset(cast(:rows as json)) as d(schedule uuid, succeeded bigint,
                   failed bigint, failures integer, reason text)
             where exists (select from @schedule s where s.id = d.schedule)
             order by d.schedule
            on conflict (schedule) do update
               set succeeded = r.succeeded + excluded.succeeded,
                   failed = r.failed + excluded.failed,
                   failures = excluded.failures
                              + case when excluded.succeeded > 0 then 0 else r.failures end,
                   last_failure = coalesce(excluded.last_failure, r.last_failure)
            """)
        .param("rows", json.writeValueAsString(results))
        .update();
  }

  private List<Failing> failing(List<UUID> schedules) {
    return sql.of(
            "select"
                + ScheduleRow.COLUMNS
                + """
                , r.failures, coalesce(r.last_failure, '') as last_failure
                  from json_to_recordset(cast(:rows as json)) as d(id uuid)
                  join @schedule s on s.id = d.id
                  join @schedule_result r on r.schedule = d.id
                 order by s.id
                """)
        .param("rows", ledger.rows(schedules))
        .query(
            (row, number) ->
                new Failing(
                    ScheduleRow.read(row), row.getInt("failures"), row.getString("last_failure")))
        .list();
  }

  private void slowDown(Failing failing, List<AuditEntry> entries) {
    ScheduleRow schedule = failing.schedule();
    if (schedule.pausedUntil().isPresent()) {
      return;
    }
    ledger.backOff(schedule.id(), ScheduleBackoff.afterFailures(failing.failures(), schedule.id()));
    if (failing.failures() >= allowed(schedule)) {
      String note = failing.failures() + " jobs in a row failed: " + failing.reason();
      ledger.pause(schedule.id(), note);
      entries.add(TickDecision.autoPaused(schedule, note));
    }
  }

  private int allowed(ScheduleRow schedule) {
    try {
      return json.readValue(schedule.spec(), ScheduleSpec.class).failuresAllowed();
    } catch (RuntimeException e) {
      return ScheduleSpec.USUAL_FAILURES; // firing will say what is wrong with it
    }
  }
}
