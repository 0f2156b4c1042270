package dev.monotick.server.remote;

import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.Problem;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Where a job's work goes on. */
@RestController
@Tag(name = "jobs")
class RemoteWorkController {

  private final Jobs jobs;
  private final RemoteWorkView view;

  RemoteWorkController(Jobs jobs, RemoteWorkView view) {
    this.jobs = jobs;
    this.view = view;
  }

  @GetMapping("/v1/jobs/{id}/remote-work")
  @RequiresRole(Role.VIEWER)
  @Operation(summary = "Get the remote work of a job")
  RemoteWorkView.Seen get(Caller caller, @PathVariable String id) {
    JobId job;
    try {
      job = JobId.parse(id);
    } catch (IllegalArgumentException e) {
      throw Problem.notFound("job", id);
    }
    return jobs.find(job)
        .filter(found -> found.lane().tenant().equals(caller.tenant()))
        .flatMap(found -> view.of(job))
        .orElseThrow(() -> Problem.notFound("work elsewhere of job", id));
  }
}
