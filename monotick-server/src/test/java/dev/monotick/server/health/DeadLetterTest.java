package dev.monotick.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Too many dead letters are told, once, until they are not too many any more. */
@Tag("thorough")
class DeadLetterTest {

  @Test
  void whoHasTooManyIsToldOnceAndAgainWhenItHappensAgain() {
    try (Installation installation =
        Installation.create()
            .with("monotick.metrics.interval", "1s")
            .with("monotick.alert.dead-letters", "2")) {
      Api admin = installation.start();
      installation.start();
      Api acme = Work.tenant(admin, "acme");
      Api other = Work.tenant(admin, "other");
      die(other);
      die(acme);
      String second = die(acme);
      Eventually.until("it was looked at", () -> gauge(admin, "acme").equals("2.0"));
      assertThat(component(admin).path("status").asString()).isEqualTo("UP");

      String third = die(acme);

      for (int replica = 0; replica < 2; replica++) {
        Api api = installation.api(replica);
        Eventually.until(
            "its health says so",
            () -> component(api).path("status").asString().equals("DEGRADED"));
        assertThat(component(api).path("details").path("acme").asString())
            .contains("3 dead letters, more than 2 since")
            .contains("/v1/dead-letters");
        assertThat(component(api).path("details").has("other")).isFalse();
        assertThat(api.get("/health/scheduler").status()).as("it goes on").isEqualTo(200);
        assertThat(api.get("/health/ready").status()).isEqualTo(200);
        Eventually.until("so does the metric", () -> high(api).equals("1.0"));
      }
      Eventually.until("the letters are looked at again", () -> gauge(admin, "acme").equals("3.0"));
      die(acme);
      Eventually.until("and again", () -> gauge(admin, "acme").equals("4.0"));
      assertThat(entries(acme, "dead_letters_high")).isEqualTo(1);
      assertThat(entries(acme, "dead_letters_normal")).isZero();

      Work.expect(
          200, acme.post("/v1/dead-letters/purge", Api.json("ids", List.of(second, third))));

      for (int replica = 0; replica < 2; replica++) {
        Api api = installation.api(replica);
        Eventually.until(
            "it is well again", () -> component(api).path("status").asString().equals("UP"));
        Eventually.until("so does the metric", () -> high(api).equals("0.0"));
      }
      assertThat(entries(acme, "dead_letters_normal")).isEqualTo(1);
      die(acme);
      Eventually.until("a second time", () -> entries(acme, "dead_letters_high") == 2);
      assertThat(entries(other, "dead_letters_high")).isZero();
    }
  }

  private static String die(Api api) {
    String id =
        Work.create(
            api,
            Api.json(
                "kind",
                "http",
                "maxAttempts",
                1,
                "payload",
                Api.json("url", "http://127.0.0.1:9/")));
    Work.await(api, id, "DEAD");
    return id;
  }

  private static tools.jackson.databind.JsonNode component(Api api) {
    return api.get("/health/scheduler").body().path("components").path("deadLetters");
  }

  private static int entries(Api api, String action) {
    return api.get("/v1/audit?action=" + action).body().path("items").size();
  }

  private static String gauge(Api api, String tenant) {
    return value(api, "monotick_dead_letters{tenant=\"" + tenant + "\"}");
  }

  private static String high(Api api) {
    return value(api, "monotick_dead_letters_high");
  }

  private static String value(Api api, String name) {
    return api.get("/prometheus")
        .raw()
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .findFirst()
        .orElse("");
  }
}
