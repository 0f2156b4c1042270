package dev.monotick.server.event;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditFeed;
import dev.monotick.server.problem.Problem;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Everything that changes, as server-sent events. */
@RestController
@RequestMapping("/v1/events")
@Tag(name = "events", description = "What changes, as it happens.")
class EventController {

  private final EventHub hub;
  private final AuditFeed feed;

  EventController(EventHub hub, AuditFeed feed) {
    this.hub = hub;
    this.feed = feed;
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(
      summary = "Stream events",
      description =
          "Server-sent events: id is the number in the audit, event the action, data the event as in"
              + " /v1/audit. Give the last id as Last-Event-ID, or after, to read on without gaps;"
              + " without it what happens from now on is sent. The stream ends after a while and"
              + " wants to be opened again.",
      responses =
          @ApiResponse(
              responseCode = "200",
              description = "events",
              content =
                  @Content(
                      mediaType = MediaType.TEXT_EVENT_STREAM_VALUE,
                      schema = @Schema(type = "string"))))
  ResponseEntity<SseEmitter> follow(
      Caller caller,
      @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String last,
      @RequestParam(required = false) @Nullable String after) {
    String tenant = caller.tenant();
    String given = last == null ? after : last;
    long seq = given == null ? feed.end(tenant) : number(given);
    long beginning = feed.beginning(tenant);
    if (seq < beginning) {
      throw Problem.of(
              410,
              "events-gone",
              "events up to " + beginning + " are no longer kept; begin with after=" + beginning)
          .with("beginning", beginning);
    }
    return ResponseEntity.ok()
        .contentType(MediaType.TEXT_EVENT_STREAM)
        .header("Cache-Control", "no-store")
        .header("X-Accel-Buffering", "no") // proxies pass it on as it comes
        .body(hub.open(tenant, seq));
  }

  private static long number(String text) {
    try {
      long number = Long.parseLong(text.strip());
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // told below, like one that is negative
    }
    throw Problem.invalid(
        "Last-Event-ID", "Last-Event-ID must be the id of an event, but was \"" + text + "\"");
  }
}
