package dev.monotick.server.job;

import dev.monotick.job.Jobs;
import dev.monotick.job.store.JobPause;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.Needs;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.problem.Fields;
import dev.monotick.server.web.Idempotency;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
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

  private static final JobStatistics.Counts NOTHING = new JobStatistics.Counts(0, 0, 0, 0, 0, 0, 0);

  private final Jobs jobs;
  private final JobStatistics statistics;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  /**
   * A queue.
   *
   * @param name its name
   * @param counts the tenant's jobs in it
   * @param paused that nobody takes jobs from it; null if it is not paused
   */
  record Queue(String name, JobStatistics.Counts counts, @Nullable Paused paused) {}

  /**
   * That nobody takes jobs from it.
   *
   * @param by who paused it
   * @param note why
   * @param since when
   */
  record Paused(String by, String note, Instant since) {}

  /**
   * All queues.
   *
   * @param items each
   */
  record Queues(List<Queue> items) {}

  /**
   * A word on a pause.
   *
   * @param note a line for people
   */
  record PauseBody(@Nullable String note) {}

  QueueController(Jobs jobs, JobStatistics statistics, Idempotency idempotency, AuditTrail audit) {
    this.jobs = jobs;
    this.statistics = statistics;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  @GetMapping
  @Needs(Role.VIEWER)
  @Operation(summary = "List queues with the tenant's jobs in them")
  Queues list(Caller caller) {
    Map<String, JobPause> pauses =
        jobs.pauses().stream()
            .filter(each -> each.of() == JobPause.Of.QUEUE)
            .collect(Collectors.toMap(JobPause::name, Function.identity()));
    Map<String, JobStatistics.Counts> counts =
        statistics.by(JobStatistics.By.QUEUE, Optional.of(caller.tenant())).stream()
            .collect(Collectors.toMap(JobStatistics.Named::name, JobStatistics.Named::counts));
    TreeSet<String> names = new TreeSet<>(counts.keySet());
    if (caller.home().isEmpty()) {
      names.addAll(pauses.keySet());
    }
    return new Queues(
        names.stream()
            .map(
                name ->
                    new Queue(
                        name,
                        counts.getOrDefault(name, NOTHING),
                        Optional.ofNullable(pauses.get(name))
                            .map(each -> new Paused(each.by(), each.note(), each.since()))
                            .orElse(null)))
            .toList());
  }

  @PostMapping("/{name}/pause")
  @Needs(value = Role.OPERATOR, platform = true)
  @Operation(summary = "Have nobody take jobs of a queue, of whichever tenant")
  ResponseEntity<Object> pause(
      Caller caller,
      HttpServletRequest http,
      @PathVariable String name,
      @RequestBody(required = false) @Nullable PauseBody body) {
    String queue = Fields.name("name", name, 100);
    String note = JobActsController.text("note", body == null ? null : body.note());
    return idempotency.once(
        http,
        caller,
        body,
        () -> {
          audit.append(entry(caller, "queue_paused", queue, Map.of("note", note)));
          jobs.pause(JobPause.Of.QUEUE, queue, caller.name(), note);
          return ResponseEntity.noContent().build();
        });
  }

  @PostMapping("/{name}/resume")
  @Needs(value = Role.OPERATOR, platform = true)
  @Operation(summary = "End the pause of a queue; nothing happens if there is none")
  ResponseEntity<Object> resume(Caller caller, HttpServletRequest http, @PathVariable String name) {
    String queue = Fields.name("name", name, 100);
    return idempotency.once(
        http,
        caller,
        null,
        () -> {
          if (jobs.resume(JobPause.Of.QUEUE, queue)) {
            audit.append(entry(caller, "queue_resumed", queue, Map.of()));
          }
          return ResponseEntity.noContent().build();
        });
  }

  private static AuditEntry entry(
      Caller caller, String action, String queue, Map<String, Object> detail) {
    return new AuditEntry("", caller.name(), caller.type(), action, "queue/" + queue, detail);
  }
}
