package dev.monotick.cli;

import dev.monotick.cli.agent.AgentCommand;
import dev.monotick.schedule.ScheduleSyntaxException;
import java.io.PrintWriter;
import java.time.Clock;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code monotick}; what it can do is in its subcommands. */
@Command(
    name = "monotick",
    description = "One tick, one effect, however many replicas run.",
    mixinStandardHelpOptions = true,
    subcommands = {ExplainCommand.class, DrillCommand.class, AgentCommand.class})
public final class MonotickCommand implements Runnable {

  /** What scripts can tell apart: 0 done, 1 failed, 2 asked for something that can't be. */
  static final int REFUSED = 2;

  @Spec private @org.jspecify.annotations.Nullable CommandSpec spec;

  private MonotickCommand() {}

  /** Runs the command line and ends the process. */
  public static void main(String[] arguments) {
    System.exit(create(Clock.systemUTC()).execute(arguments));
  }

  static CommandLine create(Clock clock) {
    CommandLine line = new CommandLine(new MonotickCommand(), new Factory(clock));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(MonotickCommand::refuse);
    return line;
  }

  private static int refuse(
      Exception problem, CommandLine command, CommandLine.ParseResult arguments) throws Exception {
    if (problem instanceof ScheduleSyntaxException || problem instanceof IllegalArgumentException) {
      PrintWriter errors = command.getErr();
      errors.println(problem.getMessage());
      errors.flush();
      return REFUSED;
    }
    throw problem;
  }

  @Override
  public void run() {
    CommandSpec known = spec;
    if (known != null) {
      throw new ParameterException(known.commandLine(), "a command is missing");
    }
  }

  /** Makes commands, which need a clock. */
  private record Factory(Clock clock) implements IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      if (type.equals(ExplainCommand.class)) {
        return type.cast(new ExplainCommand(clock));
      }
      return type.equals(DrillCommand.class)
          ? type.cast(new DrillCommand())
          : CommandLine.defaultFactory().create(type);
    }
  }
}
