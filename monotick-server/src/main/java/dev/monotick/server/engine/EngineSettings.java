package dev.monotick.server.engine;

import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.Setting;
import dev.monotick.server.setting.SettingCatalog;
import dev.monotick.task.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.core.env.Environment;

/**
 * What the engine itself can be told, as the variables it reads: leadership, its timing, and of
 * each task {@code monotick.task.NAME.interval} and {@code .timeout}.
 */
final class EngineSettings {

  private static final String TASK = "MONOTICK_TASK_";
  private static final List<Setting<String>> PASSED =
      List.of(
          SettingCatalog.LEADERSHIP,
          SettingCatalog.LEASE_DURATION,
          SettingCatalog.LEASE_RENEW_INTERVAL,
          SettingCatalog.LEASE_RENEW_TIMEOUT,
          SettingCatalog.LEASE_MARGIN);

  private EngineSettings() {}

  /** Returns the engine's variables; a variable of a task that there is none of is refused. */
  static Map<String, String> variables(
      ServerSettings settings, Environment environment, List<Task> tasks) {
    Map<String, String> variables = new TreeMap<>();
    for (Setting<String> setting : PASSED) {
      if (!settings.get(setting).isEmpty()) {
        variables.put(setting.variable(), settings.get(setting));
      }
    }
    Map<String, String> known = new HashMap<>();
    for (Task task : tasks) {
      for (String what : List.of("interval", "timeout")) {
        String variable =
            TASK
                + task.name().toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_")
                + "_"
                + what.toUpperCase(Locale.ROOT);
        known.put(variable, task.name());
        String value = environment.getProperty("monotick.task." + task.name() + "." + what);
        if (value != null) {
          variables.put(variable, value);
        }
      }
    }
    refuseUnknown(System.getenv().keySet(), known);
    return variables;
  }

  static void refuseUnknown(Set<String> given, Map<String, String> known) {
    List<String> unknown =
        given.stream()
            .filter(name -> name.startsWith(TASK) && !known.containsKey(name))
            .sorted()
            .toList();
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          String.join(", ", unknown)
              + ": there is no such task; there are "
              + known.values().stream().distinct().sorted().collect(Collectors.joining(", ")));
    }
  }
}
