package dev.monotick.server.schedule;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What became of a schedule's ticks. */
@RestController
@RequestMapping("/v1/schedules/{id}/ticks")
@Tag(name = "schedules")
class TickController {

  private static final char MARK = '~';

  private final Sql sql;
  private final ScheduleRecords schedules;

  /**
   * A tick.
   *
   * @param nominal the time it stands for; the first, if it stands for several
   * @param trigger empty for ticks of the schedule, {@code backfill}, or {@code key:…}
   * @param count how many ticks it stands for
   * @param job the job it became
   * @param outcome how it ended; missing while it has not
   * @param reason why it became no job, or failed
   * @param replica which replica decided
   * @param fence grows with everybody who makes ticks of the schedule; calls of its job carry it
   * @param firedAt when
   * @param lateness how long after its time
   * @param endedAt when its job ended
   */
  record TickView(
      Instant nominal,
      String trigger,
      long count,
      @Nullable String job,
      @Nullable String outcome,
      @Nullable String reason,
      String replica,
      @Nullable String fence,
      Instant firedAt,
      Duration lateness,
      @Nullable Instant endedAt) {}

  TickController(Sql sql, ScheduleRecords schedules) {
    this.sql = sql;
    this.schedules = schedules;
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List ticks of a schedule, newest first")
  Page<TickView> list(
      Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable String outcome,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    UUID schedule = UUID.fromString(schedules.view(caller, id).id());
    int mark = after == null ? -1 : after.indexOf(MARK);
    Optional<Instant> from =
        Optional.ofNullable(after)
            .map(text -> RequestFields.instant("after", mark < 0 ? text : text.substring(0, mark)));
    List<TickView> read =
        sql.of(
                """
                select nominal, trigger, count, job_id, outcome, reason, replica, fence, fired_at,
                       ended_at
                  from @schedule_tick
                 where schedule = :schedule and tenant = :tenant
                   and (cast(:outcome as text) is null or outcome = :outcome)
                   and (cast(:nominal as timestamptz) is null
                        or (nominal, trigger) < (cast(:nominal as timestamptz), :trigger))
                 order by nominal desc, trigger desc limit :limit
                """)
            .param("schedule", schedule)
            .param("tenant", caller.tenant())
            .param("outcome", outcome)
            .param("nominal", from.map(Instant::toString).orElse(null))
            .param("trigger", after == null || mark < 0 ? "" : after.substring(mark + 1))
            .param("limit", most + 1)
            .query((row, number) -> view(row))
            .list();
    return Page.of(read, most, tick -> tick.nominal().toString() + MARK + tick.trigger());
  }

  private static TickView view(ResultSet row) throws SQLException {
    Instant nominal = ScheduleRow.time(row, "nominal").orElseThrow();
    Instant fired = ScheduleRow.time(row, "fired_at").orElseThrow();
    Long job = row.getObject("job_id", Long.class);
    return new TickView(
        nominal,
        row.getString("trigger"),
        row.getLong("count"),
        job == null ? null : String.valueOf(job),
        row.getString("outcome"),
        row.getString("reason"),
        row.getString("replica"),
        row.getString("fence"),
        fired,
        Duration.between(nominal, fired),
        ScheduleRow.time(row, "ended_at").orElse(null));
  }
}
