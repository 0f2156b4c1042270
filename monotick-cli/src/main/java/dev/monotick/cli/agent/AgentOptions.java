package dev.monotick.cli.agent;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How an agent is set up.
 *
 * @param server where the control plane is
 * @param key proves who calls
 * @param name what the tenant calls this agent
 * @param labels what it has
 * @param commands what it may run: executable and first arguments, by name
 * @param most how many commands at a time
 * @param grace how long commands may go on when it stops
 */
record AgentOptions(
    URI server,
    String key,
    String name,
    Map<String, String> labels,
    Map<String, List<String>> commands,
    int most,
    Duration grace) {

  @Override
  public String toString() {
    return name + "@" + server; // the key is a secret
  }

  /** Reads {@code name=/path/to/it first arguments} each; refuses what cannot be run. */
  static Map<String, List<String>> commands(List<String> texts) {
    Map<String, List<String>> commands = new TreeMap<>();
    for (String text : texts) {
      int equals = text.indexOf('=');
      List<String> line =
          equals <= 0 ? List.of() : List.of(text.substring(equals + 1).strip().split("\\s+"));
      if (line.isEmpty()
          || !Path.of(line.get(0)).isAbsolute()
          || !Files.isExecutable(Path.of(line.get(0)))) {
        throw new IllegalArgumentException(
            "--allow must be name=/path/to/an/executable, with first arguments behind it if you"
                + " like, but was \""
                + text
                + "\"");
      }
      commands.put(text.substring(0, equals).strip(), line);
    }
    return commands;
  }
}
