package dev.monotick.server.web;

import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.access.Role;
import dev.monotick.server.setting.EnvironmentCheck;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingSources;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Set;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What this replica was told, and what it made of it. */
@RestController
@RequestMapping("/v1/configuration")
@Tag(name = "configuration", description = "Effective settings and their sources.")
class ConfigurationController {

  private final ServerSettings settings;
  private final ConfigurableEnvironment environment;

  /**
   * All of it.
   *
   * @param settings what is set
   * @param unknown variables that look like ours and have no effect
   */
  record Configuration(List<SettingSources.Shown> settings, List<String> unknown) {}

  ConfigurationController(ServerSettings settings, ConfigurableEnvironment environment) {
    this.settings = settings;
    this.environment = environment;
  }

  @GetMapping
  @RequiresRole(value = Role.ADMIN, platform = true)
  @Operation(summary = "Show the effective settings of this replica, without secrets")
  Configuration get() {
    Set<String> variables = environment.getSystemEnvironment().keySet();
    return new Configuration(
        SettingSources.of(settings, environment), EnvironmentCheck.unknown(variables));
  }
}
