package dev.monotick.server.schedule.fire;

import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.schedule.spec.ScheduleSpecCache;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Gives schedules their next time that follows the end of a job. Such a schedule has none while a
 * tick of it goes on. Nobody has to remember that: whichever replica looks next finds schedules
 * without a time whose ticks have all ended, however they did, or whose job nobody knows any more.
 */
@Component
public class DelayedSchedules {

  private static final int BATCH = 500;

  private final Sql sql;
  private final FiringStore ledger;
  private final ScheduleSpecCache plans;

  private record Ended(ScheduleRow schedule, Instant at) {}

  DelayedSchedules(Sql sql, FiringStore ledger, ScheduleSpecCache plans) {
    this.sql = sql;
    this.ledger = ledger;
    this.plans = plans;
  }

  /** Looks for them, and returns how many got a time. */
  public int giveTimes() {
    return sql.transaction(
        () -> {
          ledger.beImpatient();
          return ended().stream().mapToInt(this::giveTime).sum();
        });
  }

  /** Locks them, skipping what others have. A job that is forgotten ended when that is seen. */
  private List<Ended> ended() {
    return sql.of(
            "select"
                + ScheduleRow.COLUMNS
                + """
                , case when exists (select from @schedule_tick t
                                     where t.schedule = s.id and t.outcome is null) then now()
                       else coalesce((select max(e.ended_at) from (
                              select t.ended_at from @schedule_tick t where t.schedule = s.id
                               order by t.nominal desc limit 20) e), now()) end as ended
                  from @schedule s
                 where s.next_at is null and s.spec ->> 'fixedDelay' is not null
                   and not exists (
                         select from @schedule_tick t
                          where t.schedule = s.id and t.outcome is null
                            and (t.job_id is null
                                 or exists (select from @@job j where j.id = t.job_id)))
                 order by s.id limit :limit for update of s skip locked
                """)
        .param("limit", BATCH)
        .query(
            (row, number) ->
                new Ended(ScheduleRow.read(row), ScheduleRow.time(row, "ended").orElseThrow()))
        .list();
  }

  private int giveTime(Ended each) {
    Optional<Instant> next;
    try {
      next = plans.stored(each.schedule()).times().next(each.at());
    } catch (RuntimeException e) {
      return 0; // not understood by this version; its view says why
    }
    return next.isEmpty()
        ? 0
        : sql.of("update @schedule set next_at = :next where id = :id and next_at is null")
            .param("next", Timestamp.from(next.get()))
            .param("id", each.schedule().id())
            .update();
  }
}
