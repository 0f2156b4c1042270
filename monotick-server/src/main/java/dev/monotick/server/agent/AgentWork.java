package dev.monotick.server.agent;

import dev.monotick.job.JobContext;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.server.engine.JobHandling;
import dev.monotick.server.execution.WorkType;
import dev.monotick.server.problem.RequestBodies;
import dev.monotick.server.remote.RemoteWait;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.trace.Tracing;
import java.time.Duration;
import java.util.Optional;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Jobs of the kind {@code agent}. The server never does such work: it offers it to agents, and
 * sleeps until one has ended it.
 */
@Component
class AgentWork implements WorkType {

  private static final JobKind<AgentTask> KIND = JobKind.named("agent", AgentTask.class);

  private final JsonMapper json;
  private final RemoteWait wait;
  private final AgentQueue queue;
  private final Tracing tracing;
  private final Duration pickup;

  AgentWork(
      JsonMapper json,
      RemoteWait wait,
      AgentQueue queue,
      Tracing tracing,
      ServerSettings settings) {
    this.json = json;
    this.wait = wait;
    this.queue = queue;
    this.tracing = tracing;
    this.pickup = settings.get(ExecutionSettings.AGENT_PICKUP);
  }

  @Override
  public String kind() {
    return KIND.name();
  }

  @Override
  public JobRequest<?> request(JsonNode payload) {
    return KIND.of(RequestBodies.read(json, "payload", payload, AgentTask.class));
  }

  @Bean
  JobHandling<AgentTask> agentHandling() {
    return new JobHandling<>(KIND, this::run);
  }

  private JobOutcome run(JobContext<AgentTask> job) throws RemoteWait.RemoteFailedException {
    Optional<JobOutcome> known = wait.outcome(job);
    if (known.isPresent()) {
      return known.get();
    }
    AgentTask task = job.payload();
    Duration longest = task.pickup() == null ? pickup : Duration.parse(task.pickup());
    queue.offer(job, longest, tracing.headersFor(job));
    return JobOutcome.snooze(longest.plusSeconds(1));
  }
}
