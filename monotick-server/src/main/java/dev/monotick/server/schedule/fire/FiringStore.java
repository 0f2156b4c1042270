package dev.monotick.server.schedule.fire;

import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.spec.ScheduleRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * What firing reads and writes: one statement for all schedules of a look. Whoever inserts ticks of
 * a schedule has its row locked, so what is read here stays true until the commit; the ledger's
 * primary key is there for those who have not.
 */
@Component
public class FiringStore {

  /** How {@code job_attempt} tells that a job has ended; REQUEUED and the like say it goes on. */
  static final String ENDED = "(0, 3, 4, 7, 8, 9, 10, 11)";

  /** For open ticks called t: whether the job is there and has not ended. */
  static final String GOES_ON =
      """
      (t.job_id is null or (
        coalesce((select a.outcome from @@job_attempt a
                   where a.job_id = t.job_id order by a.run desc limit 1), 1) not in %s
        and exists (select from @@job j where j.id = t.job_id)))
      """
          .formatted(ENDED);

  /**
   * A frozen replica must not hold rows for long: the server ends its transaction after this, and
   * others take over.
   */
  private static final String PATIENCE = "2000";

  private final Sql sql;
  private final JsonMapper json;

  /** A schedule that was claimed, when, and whether its tenant may do nothing. */
  record Claimed(ScheduleRow schedule, Instant now, boolean suspended) {}

  /** A tick that has not ended. */
  record Open(UUID schedule, boolean queued, Instant nominal) {}

  /** A tick, for JSON. */
  record TickKey(UUID schedule, String nominal) {

    static TickKey of(UUID schedule, Instant nominal) {
      return new TickKey(schedule, nominal.toString());
    }
  }

  private record Id(UUID id) {}

  FiringStore(Sql sql, JsonMapper json) {
    this.sql = sql;
    this.json = json;
  }

  /** Lets the server end this transaction if this replica stops in the middle of it. */
  void beImpatient() {
    sql.of("select set_config('idle_in_transaction_session_timeout', :patience, true)")
        .param("patience", PATIENCE)
        .query(String.class)
        .single();
  }

  /**
   * Locks due schedules that nobody else has locked, the longest due first. Read committed: a row
   * that another replica has advanced meanwhile is not due any more, and is left out.
   */
  List<Claimed> claim(int limit) {
    return sql.of(
            "select"
                + ScheduleRow.COLUMNS
                + """
                , now() as now, coalesce((select t.suspended from @tenant t
                    where t.name = s.tenant), true) as suspended
                  from @schedule s
                 where s.due_at <= now() order by s.due_at limit :limit for update skip locked
                """)
        .param("limit", limit)
        .query(
            (row, number) ->
                new Claimed(
                    ScheduleRow.read(row),
                    ScheduleRow.time(row, "now").orElseThrow(),
                    row.getBoolean("suspended")))
        .list();
  }

  /** Locks schedules in the order of their ids. */
  void lock(List<UUID> schedules) {
    sql.of(
            """
            select s.id from json_to_recordset(cast(:rows as json)) as d(id uuid)
              join @schedule s on s.id = d.id order by s.id for update of s
            """)
        .param("rows", rows(schedules))
        .query(UUID.class)
        .list();
  }

  /** Writes schedules as rows with an id. */
  String rows(List<UUID> schedules) {
    return json.writeValueAsString(schedules.stream().map(Id::new).toList());
  }

  /** Returns the ticks of schedules whose jobs go on, or that wait. */
  List<Open> open(List<UUID> schedules) {
    return sql.of(
            """
            select t.schedule, t.job_id is null as queued, t.nominal
              from json_to_recordset(cast(:rows as json)) as d(id uuid)
              join @schedule_tick t on t.schedule = d.id and t.outcome is null
             where
            """
                + GOES_ON)
        .param("rows", rows(schedules))
        .query(
            (row, number) ->
                new Open(
                    row.getObject("schedule", UUID.class),
                    row.getBoolean("queued"),
                    ScheduleRow.time(row, "nominal").orElseThrow()))
        .list();
  }

  /** Records ticks as missed that waited for a job; their schedules are locked. */
  void passOver(List<TickKey> waiting) {
    if (waiting.isEmpty()) {
      return;
    }
    sql.of(
            """
            update @schedule_tick t
               set outcome = :outcome, reason = :reason, ended_at = clock_timestamp()
              from json_to_recordset(cast(:rows as json)) as d(schedule uuid, nominal timestamptz)
             where t.schedule = d.schedule and t.nominal = d.nominal and t.trigger = ''
               and t.outcome is null and t.job_id is null
            """)
        .param("outcome", TickSkipReason.MISSED.outcome())
        .param("reason", TickSkipReason.MISSED.word())
        .param("rows", json.writeValueAsString(waiting))
        .update();
  }

  /** Returns which of these are in the ledger already. */
  List<TickKey> taken(List<TickKey> keys) {
    return sql.of(
            """
            select t.schedule, t.nominal
              from json_to_recordset(cast(:rows as json)) as d(schedule uuid, nominal timestamptz)
              join @schedule_tick t
                on t.schedule = d.schedule and t.nominal = d.nominal and t.trigger = ''
            """)
        .param("rows", json.writeValueAsString(keys))
        .query(
            (row, number) ->
                new TickKey(
                    row.getObject("schedule", UUID.class),
                    ScheduleRow.time(row, "nominal").orElseThrow().toString()))
        .list();
  }

  /**
   * Inserts ticks.
   *
   * @throws IllegalStateException if one of them that became a job was there already
   */
  public void insert(List<TickInsert> ticks, String replica) {
    if (ticks.isEmpty()) {
      return;
    }
    long jobs =
        sql
            .of(
                """
                insert into @schedule_tick (schedule, nominal, trigger, tenant, count, job_id,
                                            outcome, reason, fence, replica, fired_at, ended_at)
                select d.schedule, d.nominal, d.trigger, d.tenant, d.count, d.job, d.outcome,
                       d.reason, d.fence, :replica, clock_timestamp(),
                       case when d.outcome is not null then clock_timestamp() end
                  from json_to_recordset(cast(:rows as json)) as d(schedule uuid,
                       nominal timestamptz, trigger text, tenant text, count bigint, job bigint,
                       outcome text, reason text, fence bigint)
                on conflict do nothing
                returning job_id
                """)
            .param("replica", replica)
            .param("rows", json.writeValueAsString(ticks))
            .query((row, number) -> row.getLong(1))
            .list()
            .stream()
            .filter(job -> job != 0)
            .count();
    if (jobs != ticks.stream().filter(tick -> tick.job() != null).count()) {
      throw new IllegalStateException("a tick of " + ticks + " is in the ledger already");
    }
  }

  /**
   * Moves schedules on; a pause that was over is ended.
   *
   * @throws StaleFenceException if somebody else has taken one of them since it was claimed
   */
  void advance(List<ScheduleChange> changes) {
    int moved =
        sql.of(
                """
                update @schedule s
                   set fence = s.fence + 1, next_at = d."nextAt", not_before = d."notBefore",
                       refusals = d.refusals, fired = s.fired + d.fired,
                       skipped = s.skipped + d.skipped, missed = s.missed + d.missed,
                       paused_until = null, paused_at = null, paused_by = null, pause_note = null
                  from json_to_recordset(cast(:rows as json)) as d(id uuid, "nextAt" timestamptz,
                       "notBefore" timestamptz, refusals integer, fired bigint, skipped bigint,
                       missed bigint, fence bigint)
                 where s.id = d.id and s.fence = d.fence
                """)
            .param("rows", json.writeValueAsString(changes))
            .update();
    if (moved != changes.size()) {
      throw new StaleFenceException(changes.size() - moved + " of " + changes);
    }
  }

  /**
   * Takes a locked schedule to make ticks of it beside its times.
   *
   * @throws StaleFenceException if somebody else has since it was read
   */
  public void take(ScheduleRow schedule) {
    int taken =
        sql.of("update @schedule set fence = fence + 1 where id = :id and fence = :fence")
            .param("id", schedule.id())
            .param("fence", schedule.fence())
            .update();
    if (taken != 1) {
      throw new StaleFenceException(schedule.subject() + " with fence " + schedule.fence());
    }
  }

  /** Pauses a schedule until somebody resumes it. */
  void pause(UUID schedule, String note) {
    sql.of(
            """
            update @schedule
               set paused_until = 'infinity', paused_at = now(), paused_by = 'system',
                   pause_note = :note, version = version + 1
             where id = :id and paused_until is null
            """)
        .param("note", note)
        .param("id", schedule)
        .update();
  }

  /** Leaves a schedule alone for a while. */
  void backOff(UUID schedule, Duration wait) {
    sql.of(
            """
            update @schedule
               set not_before = greatest(not_before, now() + :millis * interval '1 millisecond')
             where id = :id
            """)
        .param("millis", wait.toMillis())
        .param("id", schedule)
        .update();
  }

  /** Has a schedule wait that cannot even be understood. */
  void postpone(UUID schedule, int refusals, Duration wait) {
    sql.of(
            """
            update @schedule
               set refusals = :refusals, not_before = now() + :millis * interval '1 millisecond',
                   paused_until = nullif(greatest(paused_until, now()), now())
             where id = :id
            """)
        .param("refusals", refusals)
        .param("millis", wait.toMillis())
        .param("id", schedule)
        .update();
  }

  /**
   * Marks the ticks of a schedule that have not ended: a newer one wants them out of its way. Those
   * that are locked are just being told of their end.
   */
  void wantCancelled(List<UUID> schedules) {
    sql.of(
            """
            with before as (
              select t.schedule, t.nominal, t.trigger
                from json_to_recordset(cast(:rows as json)) as d(id uuid)
                join @schedule_tick t on t.schedule = d.id and t.outcome is null and not t.cancel
                 for update of t skip locked)
            update @schedule_tick t set cancel = true from before b
             where t.schedule = b.schedule and t.nominal = b.nominal and t.trigger = b.trigger
            """)
        .param("rows", rows(schedules))
        .update();
  }

  /** Returns how long it is until something is due; negative if it should have been. */
  Optional<Duration> untilNext() {
    return sql.of(
            """
            select (extract(epoch from min(due_at) - clock_timestamp()) * 1000000)::bigint
              from @schedule where due_at is not null
            """)
        .query((row, number) -> Optional.ofNullable(row.getObject(1, Long.class)))
        .single()
        .map(micros -> Duration.ofNanos(micros * 1_000));
  }
}
