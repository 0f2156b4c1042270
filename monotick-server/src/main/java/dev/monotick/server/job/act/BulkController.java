package dev.monotick.server.job.act;

import dev.monotick.job.JobState;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.job.act.BulkActions.Action;
import dev.monotick.server.job.view.JobListing;
import dev.monotick.server.job.view.JobQuery;
import dev.monotick.server.job.view.JobView;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Decides about many jobs at once, and about dead letters. */
@RestController
@RequiresRole(Role.OPERATOR)
@Tag(name = "jobs")
class BulkController {

  private static final int MOST = 1_000;
  private static final int USUAL = 100;

  private final BulkActions bulk;
  private final JobListing listing;

  /**
   * What to do with which jobs.
   *
   * @param action cancel, retry or purge
   * @param filter which; at least one part must be given
   * @param limit at most how many, 100 if not given
   */
  record BulkBody(@Nullable String action, @Nullable JobQuery filter, @Nullable Integer limit) {}

  /**
   * Which dead letters.
   *
   * @param ids these
   * @param filter or those that match; at least one part must be given
   * @param limit at most how many, 100 if not given
   */
  record LettersBody(
      @Nullable List<String> ids, @Nullable JobQuery filter, @Nullable Integer limit) {}

  BulkController(BulkActions bulk, JobListing listing) {
    this.bulk = bulk;
    this.listing = listing;
  }

  @PostMapping("/v1/jobs/bulk")
  @Operation(summary = "Cancel, retry or purge the jobs that match a filter")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = BulkActions.Done.class)))
  ResponseEntity<Object> bulk(Caller caller, HttpServletRequest http, @RequestBody BulkBody body) {
    Action action = action(RequestFields.required("action", body.action()));
    JobQuery filter = filter(body.filter());
    int limit = limit(body.limit());
    return bulk.byFilter(new BulkActions.BulkRequest(caller, http, body), action, filter, limit);
  }

  @GetMapping("/v1/dead-letters")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List dead letters, youngest first")
  Page<JobView> letters(
      Caller caller,
      @ParameterObject JobQuery query,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    return listing.page(caller.tenant(), dead(query), after, most);
  }

  @PostMapping("/v1/dead-letters/requeue")
  @Operation(summary = "Retry dead letters")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = BulkActions.Done.class)))
  ResponseEntity<Object> requeue(
      Caller caller, HttpServletRequest http, @RequestBody LettersBody body) {
    return letters(caller, http, body, Action.RETRY);
  }

  @PostMapping("/v1/dead-letters/purge")
  @Operation(summary = "Purge dead letters")
  @ApiResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = BulkActions.Done.class)))
  ResponseEntity<Object> purge(
      Caller caller, HttpServletRequest http, @RequestBody LettersBody body) {
    return letters(caller, http, body, Action.PURGE);
  }

  private ResponseEntity<Object> letters(
      Caller caller, HttpServletRequest http, LettersBody body, Action action) {
    BulkActions.BulkRequest asked = new BulkActions.BulkRequest(caller, http, body);
    if (body.ids() == null) {
      return bulk.byFilter(asked, action, dead(filter(body.filter())), limit(body.limit()));
    }
    if (body.filter() != null) {
      throw Problem.invalid("filter", "give ids or filter, not both");
    }
    if (body.ids().isEmpty() || body.ids().size() > MOST) {
      throw Problem.invalid("ids", "ids must be 1 to " + MOST + ", but were " + body.ids().size());
    }
    return bulk.byIds(asked, action, body.ids());
  }

  private static JobQuery dead(JobQuery query) {
    if (query.state() != null && query.stateWanted().orElseThrow() != JobState.DEAD) {
      throw Problem.invalid("state", "state of dead letters is DEAD");
    }
    return query.withState(JobState.DEAD);
  }

  private static JobQuery filter(@Nullable JobQuery given) {
    if (given == null || given.isEmpty()) {
      throw Problem.invalid(
          "filter",
          "filter must say which jobs: give at least one of state, queue, kind, parent,"
              + " createdAfter, createdBefore, search");
    }
    return given;
  }

  private static int limit(@Nullable Integer given) {
    return RequestFields.number("limit", given, USUAL, 1, MOST);
  }

  private static Action action(String text) {
    return switch (text.strip().toUpperCase(Locale.ROOT)) {
      case "CANCEL" -> Action.CANCEL;
      case "RETRY" -> Action.RETRY;
      case "PURGE" -> Action.PURGE;
      default ->
          throw Problem.invalid(
              "action", "action must be cancel, retry or purge, but was \"" + text + "\"");
    };
  }
}
