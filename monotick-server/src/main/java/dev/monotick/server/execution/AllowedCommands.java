package dev.monotick.server.execution;

import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** The commands that jobs may run on this server: none unless the operator says so. */
@Component
class AllowedCommands {

  private final boolean enabled;
  private final Map<String, Path> commands = new TreeMap<>();

  AllowedCommands(ServerSettings settings) {
    this.enabled = settings.get(ExecutionSettings.COMMAND_ENABLED);
    for (String each : settings.get(ExecutionSettings.COMMAND_ALLOW).split(",", -1)) {
      if (!each.isBlank()) {
        add(each.strip());
      }
    }
  }

  private void add(String entry) {
    int equals = entry.indexOf('=');
    Path path = equals < 0 ? Path.of("") : Path.of(entry.substring(equals + 1).strip());
    if (!path.isAbsolute() || !Files.isExecutable(path)) {
      throw new IllegalArgumentException(
          "MONOTICK_COMMAND_ALLOW must be name=/path/to/an/executable, with commas between them, but"
              + " had \""
              + entry
              + "\"");
    }
    commands.put(entry.substring(0, equals).strip(), path);
  }

  boolean isEnabled() {
    return enabled;
  }

  Map<String, Path> all() {
    return commands;
  }

  /** Returns the executable of a command, if jobs may run it here. */
  Optional<Path> find(String command) {
    return enabled ? Optional.ofNullable(commands.get(command)) : Optional.empty();
  }
}
