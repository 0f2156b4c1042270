package dev.monotick.server.job;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobRequest;
import dev.monotick.job.Jobs;
import dev.monotick.job.store.Enqueued;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.Needs;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.execution.WorkTypes;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.web.Idempotency;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Jobs. */
@RestController
@RequestMapping("/v1/jobs")
class JobController {

  private final Jobs jobs;
  private final Sql sql;
  private final WorkTypes types;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  JobController(Jobs jobs, Sql sql, WorkTypes types, Idempotency idempotency, AuditTrail audit) {
    this.jobs = jobs;
    this.sql = sql;
    this.types = types;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  @PostMapping
  @Needs(Role.OPERATOR)
  ResponseEntity<Object> create(Caller caller, HttpServletRequest http, @RequestBody JobSpec spec) {
    JobRequest<?> request = spec.request(caller.tenant(), types).header("created-by", caller.id());
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            spec,
            () -> {
              Enqueued added = sql.onConnection(connection -> jobs.enqueue(connection, request));
              audit.append(
                  AuditEntry.by(
                      caller,
                      "job_created",
                      "job/" + added.id(),
                      Map.of("kind", spec.title(), "new", added.isNew())));
              return ResponseEntity.created(URI.create("/v1/jobs/" + added.id()))
                  .body(Map.of("id", added.id().toString(), "new", added.isNew()));
            });
    jobs.wake();
    return answer;
  }

  @GetMapping("/{id}")
  @Needs(Role.VIEWER)
  Map<String, Object> get(Caller caller, @PathVariable String id) {
    Job job = find(caller, id);
    return Map.of(
        "id", job.id().toString(),
        "kind", job.lane().kind(),
        "queue", job.lane().queue(),
        "state", job.state().name(),
        "createdAt", job.createdAt().toString());
  }

  private Job find(Caller caller, String id) {
    JobId wanted;
    try {
      wanted = JobId.parse(id);
    } catch (IllegalArgumentException e) {
      throw Problem.notFound("job", id);
    }
    return jobs.find(wanted)
        .filter(job -> job.lane().tenant().equals(caller.tenant()))
        .orElseThrow(() -> Problem.notFound("job", id));
  }
}
