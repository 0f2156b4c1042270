package dev.monotick.server.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {

  private static Settings with(Map<String, String> given) {
    return Settings.read(given::get);
  }

  @Test
  void whatNobodySetsHasItsDefault() {
    assertThat(with(Map.of()).get(Known.PORT)).isEqualTo(8080);
    assertThat(with(Map.of("monotick.server.port", " ")).get(Known.PORT)).isEqualTo(8080);
  }

  @Test
  void durationsAreReadAsPeopleWriteThem() {
    assertThat(with(Map.of("monotick.shutdown.grace", "90s")).get(Known.SHUTDOWN_GRACE))
        .isEqualTo(Duration.ofSeconds(90));
    assertThat(with(Map.of("monotick.shutdown.grace", "PT1M30S")).get(Known.SHUTDOWN_GRACE))
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
                        "monotick.replica.orders-interval", "1ms")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "MONOTICK_SERVER_PORT",
            "must be a whole number from 0 to 65535, but was \"70000\"",
            "MONOTICK_SHUTDOWN_GRACE",
            "soon",
            "MONOTICK_REPLICA_ORDERS_INTERVAL",
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
    assertThat(Variables.unknown(List.of("MONOTICK_SERVER_PROT", "PATH", "MONOTICK_SERVER_PORT")))
        .containsExactly(
            "MONOTICK_SERVER_PROT is not known and has no effect; did you mean"
                + " MONOTICK_SERVER_PORT?");
  }

  @Test
  void namesAreUnique() {
    assertThat(Known.ALL.stream().map(Setting::variable)).doesNotHaveDuplicates();
  }
}
