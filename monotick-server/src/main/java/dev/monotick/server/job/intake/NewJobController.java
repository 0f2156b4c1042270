package dev.monotick.server.job.intake;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.web.Idempotency;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Creates jobs. */
@RestController
@RequestMapping("/v1/jobs")
@RequiresRole(Role.OPERATOR)
@Tag(name = "jobs")
class NewJobController {

  private static final int MOST = 1_000;

  private final Jobs jobs;
  private final JobAdmission adding;
  private final JobDrafts drafts;
  private final Idempotency idempotency;
  private final AuditTrail audit;

  /**
   * Jobs that belong together: all are created, or none.
   *
   * @param jobs the jobs, at most 1,000
   * @param chain whether each waits for the success of the one before it
   * @param whenAllEnded a job that waits until all others have ended, however they did
   * @param parent the job they belong to
   */
  record NewBatch(
      @Nullable List<NewJob> jobs,
      @Nullable Boolean chain,
      @Nullable NewJob whenAllEnded,
      @Nullable String parent) {}

  /**
   * A job that was created.
   *
   * @param id its name
   * @param isNew false if there was a job with the same unique key already, which this is
   */
  record Created(String id, @com.fasterxml.jackson.annotation.JsonProperty("new") boolean isNew) {

    static Created of(Enqueued added) {
      return new Created(added.id().toString(), added.isNew());
    }
  }

  /**
   * Jobs that were created.
   *
   * @param jobs in the order in which they were asked for; last the one that waits for all
   */
  record CreatedBatch(List<Created> jobs) {}

  NewJobController(
      Jobs jobs, JobAdmission adding, JobDrafts drafts, Idempotency idempotency, AuditTrail audit) {
    this.jobs = jobs;
    this.adding = adding;
    this.drafts = drafts;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  @PostMapping
  @Operation(summary = "Create a job")
  @ApiResponse(
      responseCode = "201",
      content = @Content(schema = @Schema(implementation = Created.class)))
  ResponseEntity<Object> create(
      Caller caller, HttpServletRequest http, @RequestBody NewJob wanted) {
    JobDraft draft = drafts.draft(caller, wanted, drafts.trace(http));
    Optional<JobId> parent = wanted.parentId();
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            wanted,
            () -> {
              Enqueued added =
                  adding
                      .add(caller.tenant(), List.of(draft), EnqueueRequest.Follow.NONE, parent)
                      .get(0);
              audit.append(
                  AuditEntry.by(
                      caller,
                      "job_created",
                      "job/" + added.id(),
                      Map.of("kind", draft.lane().kind(), "new", added.isNew())));
              URI place = URI.create("/v1/jobs/" + added.id());
              return (added.isNew()
                      ? ResponseEntity.created(place)
                      : ResponseEntity.ok().location(place))
                  .body(Created.of(added));
            });
    jobs.notifyWorkers();
    return answer;
  }

  @PostMapping("/batch")
  @Operation(summary = "Create many jobs, all or none")
  @ApiResponse(
      responseCode = "201",
      content = @Content(schema = @Schema(implementation = CreatedBatch.class)))
  ResponseEntity<Object> createMany(
      Caller caller, HttpServletRequest http, @RequestBody NewBatch wanted) {
    List<JobDraft> all = drafts(caller, wanted, drafts.trace(http));
    Optional<JobId> parent =
        Optional.ofNullable(wanted.parent())
            .map(text -> RequestFields.checked("parent", () -> JobId.parse(text)));
    EnqueueRequest.Follow follow = follow(wanted);
    ResponseEntity<Object> answer =
        idempotency.once(
            http,
            caller,
            wanted,
            () -> {
              List<Enqueued> added = adding.add(caller.tenant(), all, follow, parent);
              audit.append(
                  AuditEntry.by(
                      caller,
                      "jobs_created",
                      "job/" + added.get(0).id(),
                      Map.of(
                          "jobs",
                          added.size(),
                          "new",
                          added.stream().filter(Enqueued::isNew).count(),
                          "last",
                          added.get(added.size() - 1).id().toString(),
                          "follow",
                          follow.name())));
              return ResponseEntity.status(201)
                  .body(new CreatedBatch(added.stream().map(Created::of).toList()));
            });
    jobs.notifyWorkers();
    return answer;
  }

  private List<JobDraft> drafts(Caller caller, NewBatch wanted, Map<String, String> trace) {
    List<NewJob> given = RequestFields.required("jobs", wanted.jobs());
    if (given.isEmpty() || given.size() > MOST) {
      throw Problem.invalid("jobs", "jobs must be 1 to " + MOST + ", but were " + given.size());
    }
    List<JobDraft> all = new ArrayList<>(given.size() + 1);
    for (int i = 0; i < given.size(); i++) {
      all.add(drafts.draft(caller, "jobs[" + i + "]", given.get(i), trace));
    }
    if (wanted.whenAllEnded() != null) {
      all.add(drafts.draft(caller, "whenAllEnded", wanted.whenAllEnded(), trace));
    }
    return all;
  }

  private static EnqueueRequest.Follow follow(NewBatch wanted) {
    boolean chain = Boolean.TRUE.equals(wanted.chain());
    if (chain && wanted.whenAllEnded() != null) {
      throw Problem.invalid("whenAllEnded", "give chain or whenAllEnded, not both");
    }
    return chain
        ? EnqueueRequest.Follow.CHAIN
        : wanted.whenAllEnded() != null
            ? EnqueueRequest.Follow.LAST_AFTER_ALL
            : EnqueueRequest.Follow.NONE;
  }
}
