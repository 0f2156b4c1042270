package dev.monotick.server.job.control;

import dev.monotick.job.JobPause;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.job.kind.JobKinds;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Kinds of jobs. Tenants share them, so what a tenant sees are its own jobs of them, and only
 * somebody of the whole installation may pause one.
 */
@RestController
@RequestMapping("/v1/kinds")
@Tag(name = "kinds")
class KindController {

  private final JobKinds kinds;
  private final JobStatistics statistics;
  private final JobPauses pauses;
  private final Limits limits;

  /**
   * A kind.
   *
   * @param name its name
   * @param handled whether replicas of this version run such jobs
   * @param counts the tenant's jobs of it
   * @param paused that nobody takes such jobs; null if it is not paused
   * @param limits how many run at a time, and how many begin in a while
   */
  record Kind(
      String name,
      boolean handled,
      JobStatistics.Counts counts,
      JobPauses.@Nullable Paused paused,
      List<Limits.Limit> limits) {}

  /**
   * All kinds.
   *
   * @param items each
   */
  record AllKinds(List<Kind> items) {}

  KindController(JobKinds kinds, JobStatistics statistics, JobPauses pauses, Limits limits) {
    this.kinds = kinds;
    this.statistics = statistics;
    this.pauses = pauses;
    this.limits = limits;
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List kinds of jobs, with the tenant's jobs of them, pauses and limits")
  AllKinds list(Caller caller) {
    Map<String, JobPauses.Paused> paused = pauses.all(JobPause.Of.KIND);
    Map<String, JobStatistics.Counts> counts =
        statistics.by(JobStatistics.By.KIND, Optional.of(caller.tenant())).stream()
            .collect(Collectors.toMap(JobStatistics.Named::name, JobStatistics.Named::counts));
    List<Limits.Limit> all = limits.all(caller.home());
    Set<String> names = kinds.handled();
    names.addAll(kinds.seen(caller.home()));
    names.addAll(counts.keySet());
    return new AllKinds(
        names.stream()
            .map(
                name ->
                    new Kind(
                        name,
                        kinds.isHandled(name),
                        counts.getOrDefault(name, JobStatistics.NOTHING),
                        paused.get(name),
                        all.stream()
                            .filter(each -> each.kind() == null || each.kind().equals(name))
                            .toList()))
            .toList());
  }

  @GetMapping("/{name}")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Get a kind of jobs")
  Kind get(Caller caller, @PathVariable String name) {
    return list(caller).items().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(() -> Problem.notFound("kind", name));
  }

  @PostMapping("/{name}/pause")
  @RequiresRole(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Pause a kind of jobs for all tenants")
  ResponseEntity<Object> pause(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String name,
      @RequestBody(required = false) JobPauses.@Nullable PauseBody body) {
    String kind = RequestFields.name("name", name, 100);
    kinds.requireKnown("name", kind);
    return pauses.pause(caller, http, JobPause.Of.KIND, kind, body);
  }

  @PostMapping("/{name}/resume")
  @RequiresRole(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Resume a kind of jobs; no effect if it is not paused")
  ResponseEntity<Object> resume(Caller caller, HttpServletRequest http, @PathVariable String name) {
    return pauses.resume(caller, http, JobPause.Of.KIND, RequestFields.name("name", name, 100));
  }
}
