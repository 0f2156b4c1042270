package dev.monotick.server.schedule;

import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.schedule.ScheduleRecords.Locked;
import dev.monotick.server.schedule.fire.FiringLoop;
import dev.monotick.server.setting.ScheduleSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.web.EntityTags;
import dev.monotick.server.web.Idempotency;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What people do with schedules beside changing them. */
@RestController
@RequestMapping("/v1/schedules/{id}")
@Tag(name = "schedules")
class ScheduleActionController {

  private static final int LONGEST_NOTE = 1_000;

  private final Sql sql;
  private final ScheduleRecords schedules;
  private final ScheduleActions actions;
  private final Idempotency idempotency;
  private final After after;

  /**
   * What happens after a commit.
   *
   * @param loop looks again
   * @param jobs tells workers
   * @param settings how much may be asked for
   */
  record After(FiringLoop loop, Jobs jobs, ServerSettings settings) {}

  /**
   * A pause.
   *
   * @param until when it ends by itself; for good if not given
   * @param note why
   */
  record PauseRequest(@Nullable String until, @Nullable String note) {}

  /**
   * A range to be made up for.
   *
   * @param from the first moment
   * @param to the moment after the last; now if not given
   * @param limit the most jobs
   */
  record BackfillRequest(@Nullable String from, @Nullable String to, @Nullable Integer limit) {}

  ScheduleActionController(
      Sql sql,
      ScheduleRecords schedules,
      ScheduleActions actions,
      Idempotency idempotency,
      After after) {
    this.sql = sql;
    this.schedules = schedules;
    this.actions = actions;
    this.idempotency = idempotency;
    this.after = after;
  }

  @PostMapping("/enable")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Switch a schedule on")
  ResponseEntity<ScheduleView> enable(
      Caller caller,
      @PathVariable String id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    return change(caller, id, ifMatch, locked -> actions.enable(caller, locked, true));
  }

  @PostMapping("/disable")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Switch a schedule off")
  ResponseEntity<ScheduleView> disable(
      Caller caller,
      @PathVariable String id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    return change(caller, id, ifMatch, locked -> actions.enable(caller, locked, false));
  }

  @PostMapping("/pause")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Pause a schedule, until a moment or until it is resumed")
  ResponseEntity<ScheduleView> pause(
      Caller caller,
      @PathVariable String id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody(required = false) @Nullable PauseRequest request) {
    Optional<PauseRequest> given = Optional.ofNullable(request);
    String note = given.map(PauseRequest::note).orElse("");
    if (note.length() > LONGEST_NOTE) {
      throw Problem.invalid(
          "note", "note must be at most " + LONGEST_NOTE + " long, but was " + note.length());
    }
    Optional<Instant> until =
        given.map(PauseRequest::until).map(text -> RequestFields.instant("until", text));
    return change(caller, id, ifMatch, locked -> actions.pause(caller, locked, until, note));
  }

  @PostMapping("/resume")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Resume a schedule; missed ticks are not caught up")
  ResponseEntity<ScheduleView> resume(
      Caller caller,
      @PathVariable String id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    return change(caller, id, ifMatch, locked -> actions.resume(caller, locked));
  }

  private ResponseEntity<ScheduleView> change(
      Caller caller, String id, @Nullable String ifMatch, Consumer<Locked> change) {
    sql.inTransaction(
        () -> {
          Locked locked = schedules.lock(caller, id);
          EntityTags.optional(ifMatch, locked.stored().version());
          change.accept(locked);
        });
    after.loop().pollSoon();
    ScheduleView view = schedules.view(caller, id);
    return ResponseEntity.ok().eTag(EntityTags.tag(view.version())).body(view);
  }

  @PostMapping("/trigger")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Trigger a schedule now")
  @ApiResponse(
      responseCode = "201",
      content = @Content(schema = @Schema(implementation = ScheduleActions.Triggered.class)))
  ResponseEntity<Object> trigger(Caller caller, HttpServletRequest http, @PathVariable String id) {
    String key =
        Optional.ofNullable(http.getHeader(Idempotency.HEADER))
            .orElseGet(() -> UUID.randomUUID().toString());
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            null,
            () -> {
              ScheduleActions.Triggered made =
                  actions.trigger(caller, schedules.lock(caller, id), key);
              return ResponseEntity.created(URI.create("/v1/jobs/" + made.job())).body(made);
            });
    after.jobs().notifyWorkers();
    return answer;
  }

  @PostMapping("/backfill")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Backfill past ticks that have no job")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = ScheduleActions.Backfilled.class)))
  ResponseEntity<Object> backfill(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String id,
      @RequestBody BackfillRequest request) {
    int most = after.settings().get(ScheduleSettings.BACKFILL_LIMIT);
    int limit = RequestFields.number("limit", request.limit(), most, 1, most);
    Instant from = RequestFields.instant("from", RequestFields.required("from", request.from()));
    Optional<Instant> to =
        Optional.ofNullable(request.to()).map(text -> RequestFields.instant("to", text));
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            request,
            () -> {
              Locked locked = schedules.lock(caller, id);
              Instant end = to.orElse(locked.now());
              if (!from.isBefore(end)) {
                throw Problem.invalid("from", "from must be before to (" + end + ")");
              }
              if (end.isAfter(locked.now())) {
                throw Problem.invalid(
                    "to", "to must not be after now (" + locked.now() + "), but was " + end);
              }
              return ResponseEntity.ok(actions.backfill(caller, locked, from, end, limit));
            });
    after.jobs().notifyWorkers();
    return answer;
  }
}
