package dev.monotick.server.execution;

import dev.monotick.job.JobContext;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRequest;
import dev.monotick.server.engine.JobHandling;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestBodies;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Jobs of the kind {@code command}: a process on this server, from the operator's list. Off unless
 * he switches it on, because whoever may create jobs may then run these commands.
 */
@Component
class CommandWork implements WorkType {

  private static final JobKind<Command> KIND = JobKind.named("command", Command.class);

  private final JsonMapper json;
  private final AllowedCommands list;
  private final int outputLimit;

  /**
   * What came out of a command.
   *
   * @param exitCode what it returned
   * @param output the beginning of what it wrote
   * @param truncated whether there was more
   */
  record CommandResult(int exitCode, String output, boolean truncated) {}

  CommandWork(JsonMapper json, AllowedCommands list, ServerSettings settings) {
    this.json = json;
    this.list = list;
    this.outputLimit = settings.get(ExecutionSettings.COMMAND_OUTPUT_LIMIT);
  }

  @Override
  public String kind() {
    return KIND.name();
  }

  @Override
  public JobRequest<?> request(JsonNode payload) {
    if (!list.isEnabled()) {
      throw Problem.invalid(
          "kind",
          "jobs of the kind command are switched off; an operator may switch them on by"
              + " MONOTICK_COMMAND_ENABLED and MONOTICK_COMMAND_ALLOW, or use the kind agent");
    }
    Command command = RequestBodies.read(json, "payload", payload, Command.class);
    if (list.find(command.command()).isEmpty()) {
      throw Problem.invalid(
          "payload.command",
          "payload.command must be one of "
              + list.all().keySet()
              + ", but was \""
              + command.command()
              + "\"");
    }
    return KIND.of(command);
  }

  @Bean
  JobHandling<Command> commandHandling() {
    return new JobHandling<>(KIND, this::run);
  }

  private JobOutcome run(JobContext<Command> job)
      throws IOException, InterruptedException, CommandRun.FailedException {
    Command command = job.payload();
    Optional<Path> executable = list.find(command.command());
    if (executable.isEmpty()) {
      // It was allowed where the job was created; this replica is set otherwise.
      return JobOutcome.fail(
          "replica " + job.replica() + " may not run the command " + command.command());
    }
    return JobOutcome.done(new CommandRun(executable.get(), command, outputLimit).run(job));
  }
}
