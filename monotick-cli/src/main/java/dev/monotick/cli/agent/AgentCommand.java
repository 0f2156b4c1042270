package dev.monotick.cli.agent;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code monotick agent}: does jobs of a control plane on this machine. */
@Command(
    name = "agent",
    description =
        "Does jobs of a control plane on this machine: commands of a list, and nothing else.",
    mixinStandardHelpOptions = true)
public final class AgentCommand implements Callable<Integer> {

  @Option(names = "--server", required = true, description = "where the control plane is")
  private @Nullable URI server;

  @Option(
      names = "--key",
      description = "API key of the role AGENT; better in the variable MONOTICK_AGENT_KEY")
  private @Nullable String key;

  @Option(names = "--name", description = "name of this agent; the host's if not given")
  private @Nullable String name;

  @Option(names = "--labels", split = ",", description = "labels of this agent: a=b,c=d")
  private @Nullable Map<String, String> labels;

  @Option(
      names = "--allow",
      description =
          "a command it may run: name=/path/to/executable, with first arguments if you like;"
              + " repeat it for more")
  private @Nullable List<String> allow;

  @Option(names = "--max", defaultValue = "4", description = "commands at a time, ${DEFAULT-VALUE}")
  private int most;

  @Option(
      names = "--grace",
      defaultValue = "10",
      description =
          "seconds that commands may go on when it is stopped, before their work is handed back;"
              + " ${DEFAULT-VALUE}")
  private int grace;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    AgentOptions options = options();
    StopSignal stop = new StopSignal();
    stop.listen(options.grace().plusSeconds(20));
    return run(options, stop);
  }

  private int run(AgentOptions options, StopSignal stop) throws InterruptedException {
    PrintWriter out = requireNonNull(spec).commandLine().getOut();
    try {
      new Agent(
              options,
              stop,
              line -> {
                out.println(line);
                out.flush();
              })
          .run();
      return 0;
    } catch (IOException e) {
      PrintWriter errors = requireNonNull(spec).commandLine().getErr();
      errors.println(e.getMessage());
      errors.flush();
      return 1;
    }
  }

  private AgentOptions options() {
    String given =
        Optional.ofNullable(key)
            .or(() -> Optional.ofNullable(System.getenv("MONOTICK_AGENT_KEY")))
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "--key is missing; give it, or set MONOTICK_AGENT_KEY"));
    if (most < 1 || most > 100 || grace < 0 || grace > 3_600) {
      throw new IllegalArgumentException(
          "--max must be 1 to 100 and --grace 0 to 3600, but were " + most + " and " + grace);
    }
    String text = String.valueOf(server).replaceAll("/+$", "");
    if (!text.matches("https?://.+")) {
      throw new IllegalArgumentException(
          "--server must be http://… or https://…, but was \"" + text + "\"");
    }
    return new AgentOptions(
        URI.create(text),
        given,
        Optional.ofNullable(name).orElseGet(AgentCommand::host),
        labels == null ? Map.of() : new TreeMap<>(labels),
        AgentOptions.commands(allow == null ? List.of() : allow),
        most,
        Duration.ofSeconds(grace));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("this host has no name; give one by --name", e);
    }
  }
}
