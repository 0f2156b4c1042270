package dev.monotick.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@Tag("thorough")
class LatenessTest {

  @Test
  void schedulesThatNobodyFiresAreToldOf() {
    try (Installation installation =
        Installation.create()
            .with("monotick.metrics.interval", "1s")
            .with("monotick.health.late", "2s")) {
      Api api = installation.start();
      installation.start();
      Work.expect(200, api.post("/v1/tasks/schedule-firing/pause", Api.json("note", "a try")));
      Work.expect(201, api.post("/v1/schedules", schedule("late", true)));
      Work.expect(201, api.post("/v1/schedules", schedule("off", false)));

      for (int replica = 0; replica < 2; replica++) {
        Api each = installation.api(replica);
        Eventually.until("it is late", () -> status(each).equals("DOWN"));
        assertThat(component(each).path("details").path("late").asString())
            .startsWith("1 schedules, the first by ");
        assertThat(each.get("/health/scheduler").status()).isEqualTo(503);
        assertThat(each.get("/prometheus").raw().body()).contains("monotick_schedules_late 1.0");
      }

      Work.expect(200, api.post("/v1/tasks/schedule-firing/resume"));

      for (int replica = 0; replica < 2; replica++) {
        Api each = installation.api(replica);
        Eventually.until("it is well again", () -> status(each).equals("UP"));
      }
    }
  }

  private static Object schedule(String name, boolean enabled) {
    return Api.json(
        "name",
        name,
        "enabled",
        enabled,
        "cron",
        "* * * * * *",
        "job",
        Work.http("http://127.0.0.1:9/never"));
  }

  private static String status(Api api) {
    return component(api).path("status").asString();
  }

  private static JsonNode component(Api api) {
    return api.get("/health/scheduler").body().path("components").path("schedules");
  }
}
