package dev.monotick.server.agent;

import dev.monotick.server.execution.Command;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The payload of an {@code agent} job: a command that the agent knows by name, or work of a type
 * that agents of somebody's own understand.
 *
 * @param command name of a command on the agent's list
 * @param type what kind of work it is, if it is no command
 * @param args arguments of the command
 * @param env what its environment has besides
 * @param input what work of a type is about
 * @param agent the only agent that may do it; any if not given
 * @param labels what an agent that does it must have
 * @param timeout how long it may take once an agent has it
 * @param pickup how long it waits for an agent
 * @param onLoss whether another agent does it when one is lost in the middle
 */
public record AgentTask(
    @Nullable String command,
    @Nullable String type,
    List<String> args,
    Map<String, String> env,
    @Nullable JsonNode input,
    @Nullable String agent,
    Map<String, String> labels,
    String timeout,
    @Nullable String pickup,
    OnLoss onLoss) {

  private static final Duration LONGEST = Duration.ofDays(30);

  /** What becomes of work whose agent is lost in the middle, so that nobody knows what it did. */
  public enum OnLoss {
    /** Another agent does it, from the beginning. */
    HAND_ON,
    /** Nobody does; the job ends as a dead letter that says so. */
    FAIL
  }

  /** Fills in defaults and refuses what cannot be. */
  public AgentTask(
      @Nullable String command,
      @Nullable String type,
      @Nullable List<String> args,
      @Nullable Map<String, String> env,
      @Nullable JsonNode input,
      @Nullable String agent,
      @Nullable Map<String, String> labels,
      @Nullable String timeout,
      @Nullable String pickup,
      @Nullable OnLoss onLoss) {
    if ((command == null) == (type == null)) {
      throw Problem.invalid(
          "payload.command", "payload must have either a command or a type, and not both");
    }
    this.command = command == null ? null : RequestFields.name("payload.command", command, 100);
    this.type = type == null ? null : RequestFields.name("payload.type", type, 100);
    this.args = Command.arguments("payload.args", args == null ? List.of() : args);
    this.env = Command.environment("payload.env", env == null ? Map.of() : env);
    this.input = input;
    this.agent = agent == null ? null : RequestFields.name("payload.agent", agent, 100);
    this.labels = AgentLabels.checked("payload.labels", labels);
    this.timeout = between("payload.timeout", Optional.ofNullable(timeout).orElse("PT1H"));
    this.pickup = pickup == null ? null : between("payload.pickup", pickup);
    this.onLoss = Optional.ofNullable(onLoss).orElse(OnLoss.HAND_ON);
  }

  private static String between(String field, String text) {
    Duration value = RequestFields.duration(field, text);
    if (value.compareTo(Duration.ofSeconds(1)) < 0 || value.compareTo(LONGEST) > 0) {
      throw Problem.invalid(field, field + " must be PT1S to " + LONGEST + ", but was " + value);
    }
    return text;
  }
}
