package dev.monotick.server.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class ServerSettingsTest {

  private static ServerSettings with(Map<String, String> given) {
    return ServerSettings.read(given::get);
  }

  @Test
  void whatNobodySetsHasItsDefault() {
    assertThat(with(Map.of()).get(SettingCatalog.PORT)).isEqualTo(8080);
    assertThat(with(Map.of("monotick.server.port", " ")).get(SettingCatalog.PORT)).isEqualTo(8080);
  }

  @Test
  void durationsAreReadAsPeopleWriteThem() {
    assertThat(with(Map.of("monotick.shutdown.grace", "90s")).get(SettingCatalog.SHUTDOWN_GRACE))
        .isEqualTo(Duration.ofSeconds(90));
    assertThat(
            with(Map.of("monotick.shutdown.grace", "PT1M30S")).get(SettingCatalog.SHUTDOWN_GRACE))
        .isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  void allThatIsWrongIsNamedAtOnce() {
    assertThatThrownBy(
            () ->
                with(
                    Map.of(
                        "monotick.server.port", "70000",
                        "monotick.shutdown.grace", "soon",
                        "monotick.replica.commands-interval", "1ms")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "MONOTICK_SERVER_PORT",
            "must be a whole number from 0 to 65535, but was \"70000\"",
            "MONOTICK_SHUTDOWN_GRACE",
            "soon",
            "MONOTICK_REPLICA_COMMANDS_INTERVAL",
            "must be between PT0.1S and PT1M");
  }

  @Test
  void secretsAreNotShown() {
    Map<String, String> shown = with(Map.of("monotick.database.password", "hush")).shown();

    assertThat(shown).containsEntry("monotick.database.password", "********");
    assertThat(shown.toString()).doesNotContain("hush");
  }

  @Test
  void unknownVariablesAreToldWithTheNearestThatIsKnown() {
    assertThat(
            EnvironmentCheck.unknown(
                List.of("MONOTICK_SERVER_PROT", "PATH", "MONOTICK_SERVER_PORT")))
        .containsExactly(
            "MONOTICK_SERVER_PROT is not known and has no effect; did you mean"
                + " MONOTICK_SERVER_PORT?");
  }

  @Test
  void namesAreUnique() {
    assertThat(SettingCatalog.ALL.stream().map(Setting::variable)).doesNotHaveDuplicates();
  }

  /** What the kubelet puts into pods beside Services named monotick and monotick-server. */
  private static Map<String, Object> serviceLinks() {
    return Map.ofEntries(
        Map.entry("MONOTICK_SERVICE_HOST", "10.0.0.7"),
        Map.entry("MONOTICK_SERVICE_PORT", "8080"),
        Map.entry("MONOTICK_SERVICE_PORT_HTTP", "8080"),
        Map.entry("MONOTICK_PORT", "tcp://10.0.0.7:8080"),
        Map.entry("MONOTICK_PORT_8080_TCP", "tcp://10.0.0.7:8080"),
        Map.entry("MONOTICK_PORT_8080_TCP_PROTO", "tcp"),
        Map.entry("MONOTICK_PORT_8080_TCP_PORT", "8080"),
        Map.entry("MONOTICK_PORT_8080_TCP_ADDR", "10.0.0.7"),
        Map.entry("MONOTICK_SERVER_SERVICE_HOST", "10.0.0.8"),
        Map.entry("MONOTICK_SERVER_PORT", "tcp://10.0.0.8:8080"));
  }

  @Test
  void variablesThatKubernetesInjectsForServicesAreIgnored() {
    assertThat(EnvironmentCheck.withoutServiceLinks(serviceLinks())).isEmpty();
    assertThat(
            EnvironmentCheck.unknown(EnvironmentCheck.withoutServiceLinks(serviceLinks()).keySet()))
        .isEmpty();
  }

  @Test
  void realPortIsUsedThoughItsVariableIsOneOfAService() {
    assertThat(EnvironmentCheck.withoutServiceLinks(Map.of("MONOTICK_SERVER_PORT", "9090")))
        .containsExactly(Map.entry("MONOTICK_SERVER_PORT", "9090"));
  }

  @Test
  void serviceLinksDoNotReachTheSettings() {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, serviceLinks()));
    environment
        .getPropertySources()
        .addLast(new MapPropertySource("file", Map.of("monotick.server.port", "9090")));

    EnvironmentCheck.ignoreServiceLinks(environment);

    assertThat(ServerSettings.read(environment::getProperty).get(SettingCatalog.PORT))
        .isEqualTo(9090);
  }
}
