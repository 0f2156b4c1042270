package dev.monotick.server.schedule;

import dev.monotick.server.access.Caller;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.schedule.ScheduleView.Counts;
import dev.monotick.server.schedule.ScheduleView.Pause;
import dev.monotick.server.schedule.ScheduleView.State;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.schedule.spec.ScheduleSpec;
import dev.monotick.server.schedule.spec.ScheduleSpecCache;
import dev.monotick.server.web.Page;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The table of schedules, for those who ask for one over REST. */
@Component
public class ScheduleRecords {

  private static final int SHOWN_TIMES = 5;

  private final Sql sql;
  private final ScheduleSpecCache plans;

  /**
   * A schedule that nobody else changes until the transaction ends.
   *
   * @param stored as it was
   * @param now the time by the database
   */
  record Locked(ScheduleRow stored, Instant now) {}

  /** Which schedules somebody asks for. */
  record Filter(@Nullable String prefix, @Nullable Boolean enabled, @Nullable Boolean paused) {}

  ScheduleRecords(Sql sql, ScheduleSpecCache plans) {
    this.sql = sql;
    this.plans = plans;
  }

  /** Returns the time by the database. */
  public Instant now() {
    return sql.of("select now() as now")
        .query((row, number) -> ScheduleRow.time(row, "now").orElseThrow())
        .single();
  }

  /** Adds one; empty if the tenant has another of that name. */
  Optional<UUID> insert(Caller caller, ScheduleSpec spec, Instant nextAt) {
    return sql.of(
            """
            insert into @schedule (tenant, name, spec, enabled, next_at, created_by, changed_by)
            values (:tenant, :name, cast(:spec as jsonb), :enabled, :next, :by, :by)
            on conflict (tenant, name) do nothing
            returning id
            """)
        .param("tenant", caller.tenant())
        .param("name", spec.checkedName())
        .param("spec", plans.write(spec))
        .param("enabled", spec.isEnabled(true))
        .param("next", Timestamp.from(nextAt))
        .param("by", caller.name())
        .query(UUID.class)
        .optional();
  }

  /** Locks one. */
  Locked lock(Caller caller, String id) {
    return sql.of(
            "select"
                + ScheduleRow.COLUMNS
                + """
                , now() as now from @schedule s
                 where s.tenant = :tenant and s.id = :id for update
                """)
        .param("tenant", caller.tenant())
        .param("id", uuid(id))
        .query(
            (row, number) ->
                new Locked(ScheduleRow.read(row), ScheduleRow.time(row, "now").orElseThrow()))
        .optional()
        .orElseThrow(() -> Problem.notFound("schedule", id));
  }

  /** Replaces what somebody wants; what went wrong before is forgotten. */
  void replace(Caller caller, Locked locked, ScheduleSpec spec, Optional<Instant> nextAt) {
    sql.of(
            """
            update @schedule
               set name = :name, spec = cast(:spec as jsonb), enabled = :enabled, next_at = :next,
                   not_before = null, refusals = 0, version = version + 1, changed_at = now(),
                   changed_by = :by
             where id = :id
            """)
        .param("name", spec.checkedName())
        .param("spec", plans.write(spec))
        .param("enabled", spec.isEnabled(locked.stored().enabled()))
        .param("next", nextAt.map(Timestamp::from).orElse(null))
        .param("by", caller.name())
        .param("id", locked.stored().id())
        .update();
  }

  /** Switches one on or off. */
  void enable(Caller caller, Locked locked, boolean enabled, Optional<Instant> nextAt) {
    sql.of(
            """
            update @schedule
               set enabled = :enabled, next_at = :next, not_before = null, refusals = 0,
                   version = version + 1, changed_at = now(), changed_by = :by
             where id = :id
            """)
        .param("enabled", enabled)
        .param("next", nextAt.map(Timestamp::from).orElse(null))
        .param("by", caller.name())
        .param("id", locked.stored().id())
        .update();
  }

  /** Pauses one; for good if there is no end. */
  void pause(Caller caller, Locked locked, Optional<Instant> until, String note) {
    sql.of(
            """
            update @schedule
               set paused_until = coalesce(cast(:until as timestamptz), 'infinity'),
                   paused_at = now(), paused_by = :by, pause_note = :note, version = version + 1
             where id = :id
            """)
        .param("until", until.map(Instant::toString).orElse(null))
        .param("by", caller.name())
        .param("note", note)
        .param("id", locked.stored().id())
        .update();
  }

  /** Ends a pause, and what led to it. */
  void resume(Locked locked, Optional<Instant> nextAt) {
    sql.of(
            """
            update @schedule
               set paused_until = null, paused_at = null, paused_by = null, pause_note = null,
                   next_at = :next, not_before = null, refusals = 0, version = version + 1
             where id = :id
            """)
        .param("next", nextAt.map(Timestamp::from).orElse(null))
        .param("id", locked.stored().id())
        .update();
    sql.of("update @schedule_result set failures = 0 where schedule = :id")
        .param("id", locked.stored().id())
        .update();
  }

  /** Counts ticks that a person decided about. */
  void count(UUID id, long fired, long skipped) {
    sql.of(
            """
            update @schedule set fired = fired + :fired, skipped = skipped + :skipped
             where id = :id
            """)
        .param("fired", fired)
        .param("skipped", skipped)
        .param("id", id)
        .update();
  }

  /** Removes one; its ticks stay until retention takes them, its jobs go on. */
  void delete(Locked locked) {
    sql.of("delete from @schedule_result where schedule = :id")
        .param("id", locked.stored().id())
        .update();
    sql.of("delete from @schedule where id = :id").param("id", locked.stored().id()).update();
  }

  private static final String VIEW =
      "select"
          + ScheduleRow.COLUMNS
          + """
          , s.paused_at, s.paused_by, s.pause_note, s.fired, s.skipped, s.missed, s.created_at,
            s.created_by, s.changed_at, s.changed_by, coalesce(r.succeeded, 0) as succeeded,
            coalesce(r.failed, 0) as failed, coalesce(r.failures, 0) as failures, r.last_failure
            from @schedule s left join @schedule_result r on r.schedule = s.id
           where s.tenant = :tenant
          """;

  /** Returns one. */
  ScheduleView view(Caller caller, String id) {
    return sql.of(VIEW + " and s.id = :id")
        .param("tenant", caller.tenant())
        .param("id", uuid(id))
        .query((row, number) -> view(row, SHOWN_TIMES))
        .optional()
        .orElseThrow(() -> Problem.notFound("schedule", id));
  }

  /** Returns some, by name. */
  Page<ScheduleView> list(Caller caller, Filter filter, @Nullable String after, int limit) {
    List<ScheduleView> read =
        sql.of(
                VIEW
                    + """
                     and (cast(:prefix as text) is null or starts_with(s.name, :prefix))
                     and (cast(:enabled as boolean) is null or s.enabled = :enabled)
                     and (cast(:paused as boolean) is null
                          or (s.paused_until is not null) = :paused)
                     and (cast(:after as text) is null or s.name > :after)
                     order by s.name limit :limit
                    """)
            .param("tenant", caller.tenant())
            .param("prefix", filter.prefix())
            .param("enabled", filter.enabled())
            .param("paused", filter.paused())
            .param("after", after)
            .param("limit", limit + 1)
            .query((row, number) -> view(row, 1))
            .list();
    return Page.of(read, limit, ScheduleView::name);
  }

  private @Nullable ScheduleSpec readable(ScheduleRow stored) {
    try {
      return plans.read(stored.spec()).shown(stored.enabled());
    } catch (RuntimeException e) {
      return null; // the problem that is shown says why
    }
  }

  private ScheduleView view(ResultSet row, int times) throws SQLException {
    ScheduleRow stored = ScheduleRow.read(row);
    ScheduleSpec spec = null;
    String problem = null;
    String description = null;
    List<Instant> next = new ArrayList<>();
    boolean followsEnds = false;
    try {
      ScheduleSpecCache.Understood understood = plans.understood(stored);
      spec = understood.spec().shown(stored.enabled());
      description = understood.plan().times().describe();
      followsEnds = understood.plan().followsEnds();
      Optional<Instant> time = stored.nextAt();
      while (time.isPresent() && next.size() < times) {
        next.add(time.get());
        time =
            followsEnds || next.size() == times
                ? Optional.empty()
                : understood.plan().times().next(time.get());
      }
    } catch (RuntimeException e) {
      problem = String.valueOf(e.getMessage());
      spec = readable(stored);
    }
    return new ScheduleView(
        stored.id().toString(),
        stored.name(),
        stored.version(),
        state(stored, followsEnds),
        spec,
        problem,
        description,
        stored.nextAt().orElse(null),
        next,
        stored.notBefore().orElse(null),
        pause(row, stored),
        counts(row, stored),
        ScheduleRow.time(row, "created_at").orElseThrow(),
        row.getString("created_by"),
        ScheduleRow.time(row, "changed_at").orElseThrow(),
        row.getString("changed_by"));
  }

  private static State state(ScheduleRow stored, boolean followsEnds) {
    return !stored.enabled()
        ? State.DISABLED
        : stored.pausedUntil().isPresent()
            ? State.PAUSED
            : stored.nextAt().isEmpty() && !followsEnds ? State.FINISHED : State.ACTIVE;
  }

  private static @Nullable Pause pause(ResultSet row, ScheduleRow stored) throws SQLException {
    if (stored.pausedUntil().isEmpty()) {
      return null;
    }
    return new Pause(
        stored.isPausedForGood() ? null : stored.pausedUntil().get(),
        ScheduleRow.time(row, "paused_at").orElse(Instant.EPOCH),
        row.getString("paused_by"),
        row.getString("pause_note"));
  }

  private static Counts counts(ResultSet row, ScheduleRow stored) throws SQLException {
    return new Counts(
        row.getLong("fired"),
        row.getLong("skipped"),
        row.getLong("missed"),
        row.getLong("succeeded"),
        row.getLong("failed"),
        row.getInt("failures"),
        stored.refusals(),
        row.getString("last_failure"));
  }

  private static UUID uuid(String id) {
    try {
      return UUID.fromString(id);
    } catch (IllegalArgumentException e) {
      throw Problem.notFound("schedule", id);
    }
  }
}
