package dev.monotick.server.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.spi.replica.MemberConfig;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Replicas of one installation that are configured differently. */
class RegistrationDifferenceTest {

  @Test
  void theTruthTableShowsWhatReplicasHaveRegisteredDifferently() {
    try (Installation installation = Installation.create();
        Installation next =
            installation
                .sibling()
                .with("monotick.replica.name", "next")
                .with("monotick.task.remote-work.interval", "7s")) {
      Api api = installation.start();
      assertThat(api.get("/v1/tasks/remote-work").body().path("registrations")).isEmpty();
      next.start();
      Eventually.until(
          "both have told what they have registered",
          () -> api.get("/v1/tasks/remote-work").body().path("registrations").size() == 2);
      JsonNode row = api.get("/v1/tasks/remote-work").body();
      assertThat(row.path("policy").path("schedule").asString())
          .as("the registration that counts")
          .isEqualTo("@every 7s");
      for (JsonNode each : row.path("registrations")) {
        boolean isNext = each.path("replica").asString().equals("next");
        assertThat(each.path("counts").asBoolean()).isEqualTo(isNext);
        assertThat(each.path("properties").propertyNames()).containsExactly("schedule");
        assertThat(each.path("properties").path("schedule").asString().equals("@every 7s"))
            .isEqualTo(isNext);
      }
      assertThat(api.get("/v1/tasks/replica-cleanup").body().path("registrations")).isEmpty();
    }
  }

  @Test
  void replicasShowTheirTimeZoneData() {
    try (Installation installation = Installation.create()) {
      Api api = installation.start();
      assertThat(api.get("/v1/replicas").body().path(0).path("tzdb").asString())
          .isEqualTo(MemberConfig.tzdbOfThisProcess());
    }
  }
}
