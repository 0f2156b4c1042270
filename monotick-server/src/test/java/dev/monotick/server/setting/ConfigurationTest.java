package dev.monotick.server.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is set, and what becomes known of it. */
@Tag("thorough")
class ConfigurationTest {

  @Test
  void settingsAreShownWithTheirSourceAndWithoutSecretsEvenInLogs() {
    String password = TestDatabase.server().password(); // its start prints what is no JSON
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try (Installation installation =
        Installation.create()
            .with("monotick.log.format", "json")
            .with("monotick.metrics.interval", "7s")) {
      Api api = installation.start();
      api.as("mt_test_wrong000000000000000000").get("/v1/audit");
      Api.Answer answer = api.get("/v1/configuration");

      assertThat(answer.status()).isEqualTo(200);
      assertThat(setting(answer, "monotick.metrics.interval").path("value").asString())
          .isEqualTo("7s");
      assertThat(setting(answer, "monotick.metrics.interval").path("source").asString())
          .isEqualTo("flag");
      assertThat(setting(answer, "monotick.audit.retention").path("source").asString())
          .isEqualTo("default");
      assertThat(setting(answer, "monotick.audit.retention").path("variable").asString())
          .isEqualTo("MONOTICK_AUDIT_RETENTION");
      assertThat(setting(answer, "monotick.database.password").path("value").asString())
          .isEqualTo("********");
      assertThat(answer.body().path("settings")).hasSize(SettingCatalog.ALL.size());
      assertThat(answer.raw().body()).doesNotContain(password, Installation.ADMIN_KEY);
    } finally {
      System.setOut(before);
    }
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text).doesNotContain(password, Installation.ADMIN_KEY, "wrong000000000000000000");
    List<JsonNode> lines =
        text.lines().filter(line -> !line.isBlank()).map(ConfigurationTest::json).toList();
    assertThat(lines).isNotEmpty();
    assertThat(lines)
        .anySatisfy(line -> assertThat(line.path("replica").asString("")).isEqualTo("replica-1"));
  }

  private static JsonNode json(String line) {
    return new JsonMapper().readTree(line);
  }

  private static JsonNode setting(Api.Answer answer, String name) {
    for (JsonNode each : answer.body().path("settings")) {
      if (each.path("name").asString().equals(name)) {
        return each;
      }
    }
    throw new AssertionError("no setting " + name);
  }

  @Test
  void variablesThatMeanNothingAreNamedWithTheNearest() {
    assertThat(
            EnvironmentCheck.unknown(
                List.of("MONOTICK_DATABASE_ULR", "PATH", "MONOTICK_SERVER_PORT")))
        .singleElement()
        .asString()
        .contains("MONOTICK_DATABASE_ULR")
        .contains("did you mean MONOTICK_DATABASE_URL");
  }

  @Test
  void everySettingHasABoundAndSaysSo() {
    assertThat(SettingCatalog.ALL).extracting(Setting::name).doesNotHaveDuplicates();
    Map<String, String> wrong =
        Map.of(
            "monotick.events.interval", "1ms",
            "monotick.audit.retention", "1h",
            "monotick.rate-limit.key.read", "fast");
    assertThatThrownBy(() -> ServerSettings.read(name -> wrong.getOrDefault(name, "")))
        .hasMessageContaining("MONOTICK_EVENTS_INTERVAL")
        .hasMessageContaining("between PT0.05S and PT1M")
        .hasMessageContaining("MONOTICK_AUDIT_RETENTION")
        .hasMessageContaining("MONOTICK_RATE_LIMIT_KEY_READ");
  }
}
