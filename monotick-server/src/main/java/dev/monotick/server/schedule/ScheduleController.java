package dev.monotick.server.schedule;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.schedule.fire.FiringLoop;
import dev.monotick.server.schedule.spec.ScheduleSpec;
import dev.monotick.server.web.EntityTags;
import dev.monotick.server.web.Idempotency;
import dev.monotick.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Schedules: create, read, change, delete. */
@RestController
@RequestMapping("/v1/schedules")
@Tag(name = "schedules")
class ScheduleController {

  private final ScheduleRecords schedules;
  private final ScheduleEdits edits;
  private final Idempotency idempotency;
  private final FiringLoop loop;

  ScheduleController(
      ScheduleRecords schedules, ScheduleEdits edits, Idempotency idempotency, FiringLoop loop) {
    this.schedules = schedules;
    this.edits = edits;
    this.idempotency = idempotency;
    this.loop = loop;
  }

  @PostMapping
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Create a schedule")
  @ApiResponse(
      responseCode = "201",
      content = @Content(schema = @Schema(implementation = ScheduleView.class)))
  ResponseEntity<Object> create(
      Caller caller, HttpServletRequest http, @RequestBody ScheduleSpec spec) {
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            spec,
            () -> {
              ScheduleView made = schedules.view(caller, edits.create(caller, spec).toString());
              return ResponseEntity.created(URI.create("/v1/schedules/" + made.id()))
                  .eTag(EntityTags.tag(made.version()))
                  .body(made);
            });
    loop.pollSoon();
    return answer;
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List schedules by name")
  Page<ScheduleView> list(
      Caller caller,
      @RequestParam(required = false) @Nullable String name,
      @RequestParam(required = false) @Nullable Boolean enabled,
      @RequestParam(required = false) @Nullable Boolean paused,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    return schedules.list(
        caller,
        new ScheduleRecords.Filter(name, enabled, paused),
        after,
        RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST));
  }

  @GetMapping("/{id}")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Read a schedule")
  ResponseEntity<ScheduleView> get(Caller caller, @PathVariable String id) {
    return answer(caller, id);
  }

  @PutMapping("/{id}")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Replace a schedule")
  ResponseEntity<ScheduleView> replace(
      Caller caller,
      @PathVariable String id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody ScheduleSpec spec) {
    edits.replace(caller, id, ifMatch, before -> spec);
    loop.pollSoon();
    return answer(caller, id);
  }

  @PatchMapping(
      path = "/{id}",
      consumes = {"application/merge-patch+json", "application/json"})
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Change parts of a schedule (JSON merge patch)")
  ResponseEntity<ScheduleView> patch(
      Caller caller,
      @PathVariable String id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      @RequestBody JsonNode patch) {
    if (!patch.isObject()) {
      throw Problem.invalid("", "a merge patch of a schedule must be an object");
    }
    edits.replace(caller, id, ifMatch, before -> edits.patched(before, patch));
    loop.pollSoon();
    return answer(caller, id);
  }

  @DeleteMapping("/{id}")
  @RequiresRole(Role.OPERATOR)
  @Operation(summary = "Delete a schedule")
  ResponseEntity<Void> delete(
      Caller caller,
      @PathVariable String id,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
    edits.delete(caller, id, ifMatch);
    return ResponseEntity.noContent().build();
  }

  private ResponseEntity<ScheduleView> answer(Caller caller, String id) {
    ScheduleView view = schedules.view(caller, id);
    return ResponseEntity.ok().eTag(EntityTags.tag(view.version())).body(view);
  }
}
