package dev.monotick.server.agent;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import tools.jackson.databind.JsonNode;

/**
 * What agents call. {@link AgentKeys} says who may speak for which of them; the lease is what tells
 * two processes of one agent apart.
 */
@RestController
@RequestMapping("/v1/agents")
@Tag(name = "agent pull", description = "What agents call to get jobs and to report")
class AgentPullController {

  private static final int LONGEST_LINE = 2_000;

  private final AgentRegistration registration;
  private final AgentKeys keys;
  private final AgentQueue queue;
  private final AgentReports reports;
  private final Waits waits;

  /** Long polls, and how long they may take at the most. */
  @org.springframework.stereotype.Component
  static final class Waits {

    private final AgentPolls polls;
    private final Duration longest;

    Waits(AgentPolls polls, ServerSettings settings) {
      this.polls = polls;
      // An agent that waits is silent, and must not be taken for gone meanwhile.
      Duration third = settings.get(ExecutionSettings.AGENT_SILENCE).dividedBy(3);
      Duration most = Duration.ofSeconds(30);
      this.longest = third.compareTo(most) < 0 ? third : most;
    }

    DeferredResult<AgentPolls.Polled> poll(AgentName agent, int most, Duration wanted) {
      return polls.poll(agent, most, wanted.compareTo(longest) < 0 ? wanted : longest);
    }
  }

  /** How an agent asks for work: how much, and how long it would wait for it. */
  record PollBody(@Nullable Integer max, @Nullable Integer waitSeconds) {}

  /** The leases that an agent has. */
  record HeartbeatBody(@Nullable List<String> leases) {}

  /** How far work is: from 0 to 1, and what it does now. */
  record ProgressBody(@Nullable String lease, @Nullable Double progress, @Nullable String doing) {}

  /** Lines for the job's log. */
  record LogBody(@Nullable String lease, @Nullable List<String> lines) {}

  /** How work ended. */
  enum Outcome {
    /** It did what it should. */
    SUCCEEDED,
    /** It did not. */
    FAILED,
    /** It was not begun, or broken off in good order: another agent may do it. */
    HANDED_BACK
  }

  /**
   * What came out of work.
   *
   * @param lease what proves that the agent has it
   * @param outcome how it ended
   * @param exitCode of a command
   * @param output the beginning of what it wrote
   * @param result what came out, if it is more than text
   * @param error what happened
   * @param permanent whether another attempt would not mend that
   */
  record ResultBody(
      @Nullable String lease,
      @Nullable Outcome outcome,
      @Nullable Integer exitCode,
      @Nullable String output,
      @Nullable JsonNode result,
      @Nullable String error,
      @Nullable Boolean permanent) {}

  AgentPullController(
      AgentRegistration registration,
      AgentKeys keys,
      AgentQueue queue,
      AgentReports reports,
      Waits waits) {
    this.registration = registration;
    this.keys = keys;
    this.queue = queue;
    this.reports = reports;
    this.waits = waits;
  }

  @PostMapping("/register")
  @RequiresRole(Role.AGENT)
  @Operation(summary = "Register an agent, or update its registration")
  AgentRegistration.Registered register(Caller caller, @RequestBody AgentSpec body) {
    return registration.register(caller, body.checked(""));
  }

  @PostMapping("/{name}/poll")
  @RequiresRole(Role.AGENT)
  @Operation(summary = "Claim work, with long polling")
  DeferredResult<AgentPolls.Polled> poll(
      Caller caller, @PathVariable String name, @RequestBody PollBody body) {
    int most = RequestFields.number("max", body.max(), 1, 1, 100);
    int seconds = RequestFields.number("waitSeconds", body.waitSeconds(), 0, 0, 30);
    AgentName agent = keys.authenticate(caller, name);
    return waits.poll(agent, most, Duration.ofSeconds(seconds));
  }

  @PostMapping("/{name}/heartbeat")
  @RequiresRole(Role.AGENT)
  @Operation(summary = "Send a heartbeat with the leases that the agent holds")
  AgentReports.Renewal heartbeat(
      Caller caller, @PathVariable String name, @RequestBody HeartbeatBody body) {
    List<String> given = body.leases() == null ? List.of() : body.leases();
    if (given.size() > 1_000) {
      throw Problem.invalid("leases", "leases must be at most 1000, but are " + given.size());
    }
    List<AgentLease> leases = given.stream().map(each -> AgentLease.parse("leases", each)).toList();
    AgentName agent = keys.authenticate(caller, name);
    return reports.renew(agent, leases, queue.lease().toMillis());
  }

  @PostMapping("/{name}/progress")
  @RequiresRole(Role.AGENT)
  @Operation(summary = "Report progress of work")
  ResponseEntity<Void> progress(
      Caller caller, @PathVariable String name, @RequestBody ProgressBody body) {
    Double progress = body.progress();
    if (progress != null && !(progress >= 0 && progress <= 1)) {
      throw Problem.invalid("progress", "progress must be 0 to 1, but was " + progress);
    }
    reports.progress(
        keys.require(caller, name),
        AgentLease.parse("lease", body.lease()),
        progress,
        body.doing() == null ? null : AgentReports.cut(body.doing(), LONGEST_LINE));
    return ResponseEntity.noContent().build();
  }

  @PostMapping("/{name}/log")
  @RequiresRole(Role.AGENT)
  @Operation(summary = "Add lines to the log of the job")
  ResponseEntity<Void> log(Caller caller, @PathVariable String name, @RequestBody LogBody body) {
    List<String> lines = RequestFields.required("lines", body.lines());
    if (lines.size() > 1_000) {
      throw Problem.invalid("lines", "lines must be at most 1000, but are " + lines.size());
    }
    reports.log(
        keys.require(caller, name),
        AgentLease.parse("lease", body.lease()),
        lines.stream().map(each -> AgentReports.cut(String.valueOf(each), LONGEST_LINE)).toList());
    return ResponseEntity.noContent().build();
  }

  @PostMapping("/{name}/result")
  @RequiresRole(Role.AGENT)
  @Operation(summary = "Report the outcome of work")
  ResponseEntity<Void> result(
      Caller caller, @PathVariable String name, @RequestBody ResultBody body) {
    AgentName agent = keys.require(caller, name);
    AgentLease lease = AgentLease.parse("lease", body.lease());
    switch (RequestFields.required("outcome", body.outcome())) {
      case SUCCEEDED -> reports.succeeded(agent, lease, said(body));
      case FAILED -> reports.failed(agent, lease, said(body));
      case HANDED_BACK -> {
        if (queue.returnToQueue(agent, List.of(lease)) == 0) {
          throw reports.lost(agent, lease);
        }
      }
    }
    return ResponseEntity.noContent().build();
  }

  private static AgentReports.AgentOutcome said(ResultBody body) {
    return new AgentReports.AgentOutcome(
        Optional.ofNullable(body.exitCode()),
        Optional.ofNullable(body.output()),
        Optional.ofNullable(body.result()),
        Optional.ofNullable(body.error()),
        Boolean.TRUE.equals(body.permanent()));
  }
}
