package dev.monotick.server.job.control;

import dev.monotick.job.JobPause;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.RequestFields;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
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
 * Queues. Tenants share them, so what a tenant sees are its own jobs in them, and only somebody of
 * the whole installation may pause one.
 */
@RestController
@RequestMapping("/v1/queues")
@Tag(name = "queues")
class QueueController {

  private final JobStatistics statistics;
  private final JobPauses pauses;

  /**
   * A queue.
   *
   * @param name its name
   * @param counts the tenant's jobs in it
   * @param paused that nobody takes jobs from it; null if it is not paused
   */
  record Queue(String name, JobStatistics.Counts counts, JobPauses.@Nullable Paused paused) {}

  /**
   * All queues.
   *
   * @param items each
   */
  record Queues(List<Queue> items) {}

  QueueController(JobStatistics statistics, JobPauses pauses) {
    this.statistics = statistics;
    this.pauses = pauses;
  }

  @GetMapping
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "List queues with the tenant's jobs in them")
  Queues list(Caller caller) {
    Map<String, JobPauses.Paused> paused = pauses.all(JobPause.Of.QUEUE);
    Map<String, JobStatistics.Counts> counts =
        statistics.by(JobStatistics.By.QUEUE, Optional.of(caller.tenant())).stream()
            .collect(Collectors.toMap(JobStatistics.Named::name, JobStatistics.Named::counts));
    TreeSet<String> names = new TreeSet<>(counts.keySet());
    if (caller.home().isEmpty()) {
      names.addAll(paused.keySet());
    }
    return new Queues(
        names.stream()
            .map(
                name ->
                    new Queue(
                        name, counts.getOrDefault(name, JobStatistics.NOTHING), paused.get(name)))
            .toList());
  }

  @PostMapping("/{name}/pause")
  @RequiresRole(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Pause a queue for all tenants")
  ResponseEntity<Object> pause(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String name,
      @RequestBody(required = false) JobPauses.@Nullable PauseBody body) {
    return pauses.pause(
        caller, http, JobPause.Of.QUEUE, RequestFields.name("name", name, 100), body);
  }

  @PostMapping("/{name}/resume")
  @RequiresRole(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Resume a queue; no effect if it is not paused")
  ResponseEntity<Object> resume(Caller caller, HttpServletRequest http, @PathVariable String name) {
    return pauses.resume(caller, http, JobPause.Of.QUEUE, RequestFields.name("name", name, 100));
  }
}
