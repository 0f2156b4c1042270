package dev.monotick.server.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.EntityTags;
import dev.monotick.server.web.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Looks at jobs. */
@RestController
@RequestMapping("/v1/jobs")
@RequiresRole(Role.VIEWER)
@Tag(name = "jobs")
class JobController {

  private final Jobs jobs;
  private final JobFinder finder;
  private final JobListing listing;
  private final JobViews views;
  private final JobExplanation why;

  /**
   * A job's log.
   *
   * @param lines its lines, oldest first
   */
  record Log(List<Job.LogLine> lines) {}

  JobController(
      Jobs jobs, JobFinder finder, JobListing listing, JobViews views, JobExplanation why) {
    this.jobs = jobs;
    this.finder = finder;
    this.listing = listing;
    this.views = views;
    this.why = why;
  }

  @GetMapping
  @Operation(summary = "List jobs, youngest first")
  Page<JobView> list(
      Caller caller,
      @ParameterObject JobQuery query,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, Page.USUAL, 1, Page.MOST);
    return listing.page(caller.tenant(), query, after, most);
  }

  @GetMapping("/{id}")
  @Operation(summary = "Get a job with its payload, attempts and result")
  ResponseEntity<JobDetail> get(Caller caller, @PathVariable String id) {
    Job job = finder.find(caller, id);
    return ResponseEntity.ok().eTag(EntityTags.tag(JobViews.version(job))).body(views.whole(job));
  }

  @GetMapping("/{id}/log")
  @Operation(summary = "Get the first log lines of a job")
  Log log(
      Caller caller,
      @PathVariable String id,
      @RequestParam(required = false) @Nullable Integer limit) {
    int most = RequestFields.number("limit", limit, 1_000, 1, 1_000);
    JobId found = finder.find(caller, id).id();
    return new Log(jobs.log(found, most));
  }

  @GetMapping("/{id}/why")
  @Operation(summary = "Explain the state of a job and what it waits for")
  JobExplanation.Answer why(Caller caller, @PathVariable String id) {
    return why.answer(finder.find(caller, id));
  }
}
