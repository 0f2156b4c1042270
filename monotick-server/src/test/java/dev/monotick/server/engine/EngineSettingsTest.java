package dev.monotick.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.Monotick;
import dev.monotick.error.JoinRefusedException;
import dev.monotick.server.support.Installation;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What is set for the engine reaches it. */
@Tag("thorough")
class EngineSettingsTest {

  @Test
  void intervalsAndTimeoutsOfTasksAreSet() {
    try (Installation installation =
        Installation.create()
            .with("monotick.task.replica-cleanup.interval", "7m")
            .with("monotick.task.replica-cleanup.timeout", "11s")) {
      installation.start();

      JsonNode policy = installation.api().get("/v1/tasks/replica-cleanup").body().path("policy");

      assertThat(policy.path("schedule").asString()).contains("7m");
      assertThat(policy.path("timeout").asString()).isEqualTo("PT11S");
    }
  }

  @Test
  void aSecondReplicaIsRefusedWhereThereMayBeOne() {
    try (Installation installation =
        Installation.create().with("monotick.leadership", "single-replica")) {
      installation.start();

      assertThatThrownBy(installation::start)
          .rootCause()
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("replica-1");
      assertThat(installation.bean(0, Monotick.class).tasks()).isNotEmpty();
    }
  }

  @Test
  void leasesThatCannotBeAreRefused() {
    try (Installation installation = Installation.create().with("monotick.lease.duration", "1s")) {
      assertThatThrownBy(installation::start)
          .rootCause()
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("lease");
    }
  }

  @Test
  void aVariableOfNoTaskIsRefused() {
    assertThatThrownBy(
            () ->
                EngineSettings.refuseUnknown(
                    Set.of("MONOTICK_TASK_REPLICA_VEW_INTERVAL", "PATH"),
                    Map.of("MONOTICK_TASK_REPLICA_VIEW_INTERVAL", "replica-view")))
        .hasMessageContainingAll("MONOTICK_TASK_REPLICA_VEW_INTERVAL", "replica-view");
  }
}
