package dev.monotick.server.schedule;

import dev.monotick.schedule.Cron;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.schedule.spec.SchedulePreview;
import dev.monotick.server.schedule.spec.ScheduleSpec;
import dev.monotick.server.schedule.spec.ScheduleTiming;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** When schedules will be due. */
@RestController
@RequestMapping("/v1/schedules")
@Tag(name = "schedules")
class PreviewController {

  private static final int USUAL = 10;
  private static final int MOST = 500;

  private final ScheduleRecords schedules;

  /**
   * Times somebody thinks of; see {@link ScheduleTiming}.
   *
   * @param name what the schedule would be called, which matters for H in cron
   * @param after from when on; now if not given
   * @param n how many
   */
  record PreviewRequest(
      @Nullable String name,
      @Nullable String cron,
      @Nullable String zone,
      Cron.@Nullable Gap gap,
      Cron.@Nullable Overlap overlap,
      @Nullable String every,
      @Nullable String fixedDelay,
      @Nullable String at,
      @Nullable String from,
      @Nullable String until,
      @Nullable List<String> exclusions,
      @Nullable String after,
      @Nullable Integer n) {

    ScheduleTiming timing() {
      return new ScheduleTiming(
          cron, zone, gap, overlap, every, fixedDelay, at, from, until, exclusions);
    }
  }

  PreviewController(ScheduleRecords schedules) {
    this.schedules = schedules;
  }

  @PostMapping("/preview")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Show when a schedule would be due, before it is saved")
  SchedulePreview preview(Caller caller, @RequestBody PreviewRequest request) {
    int n = RequestFields.number("n", request.n(), USUAL, 1, MOST);
    String name = caller.tenant() + "/" + Optional.ofNullable(request.name()).orElse("");
    return SchedulePreview.of(
        request.timing().schedule(name), request.timing().zoneId(), after(request.after()), n);
  }

  @GetMapping("/{id}/preview")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Show when a schedule will be due")
  SchedulePreview preview(
      Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable Integer n,
      @RequestParam(required = false) @Nullable String after) {
    int many = RequestFields.number("n", n, USUAL, 1, MOST);
    ScheduleView view = schedules.view(caller, id);
    ScheduleSpec spec =
        Optional.ofNullable(view.spec())
            .orElseThrow(
                () ->
                    Problem.conflict(
                        "not-understood", "this schedule is not understood: " + view.problem()));
    return SchedulePreview.of(
        spec.timing().schedule(caller.tenant() + "/" + view.name()),
        spec.timing().zoneId(),
        after(after),
        many);
  }

  private Instant after(@Nullable String text) {
    return text == null ? schedules.now() : RequestFields.instant("after", text);
  }
}
