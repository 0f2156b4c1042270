package dev.monotick.server.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.schedule.TestSchedules;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.ServerProcess;
import dev.monotick.server.support.Work;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A schedule that waits for the end of its job goes on, whoever dies meanwhile. */
@Tag("thorough")
class FixedDelayCrashTest {

  private final CountDownLatch held = new CountDownLatch(1);

  /** The process that runs the job is killed; another one runs it again and sets the next time. */
  @Test
  void itGoesOnWhenItsReplicaIsKilled() {
    try (Receiver receiver = new Receiver();
        Installation installation = Installation.create();
        ServerProcess victim = ServerProcess.start(installation, "victim")) {
      receiver.answers(call -> answer());
      String id =
          TestSchedules.create(
              victim.api(),
              Api.json(
                  "name", "held", "fixedDelay", "PT1S", "job", Work.http(receiver.url("/held"))));
      Eventually.until("it runs", () -> receiver.calls().size() == 1);
      Api api = installation.start();
      assertThat(ticks(api, id)).hasSize(1);
      assertThat(api.get("/v1/schedules/" + id).body().path("nextAt").isNull()).isTrue();

      victim.kill();

      Eventually.until("another runs it", () -> receiver.calls().size() >= 2);
      assertThat(ticks(api, id)).hasSize(1);
      held.countDown();
      Eventually.until("it goes on", () -> ticks(api, id).size() >= 3);
      List<JsonNode> ticks = ticks(api, id);
      assertThat(ticks.get(0).path("outcome").asString()).isEqualTo("SUCCEEDED");
      assertThat(ticks.get(0).path("replica").asString()).isEqualTo("victim");
      assertThat(ticks.get(1).path("replica").asString()).isEqualTo("replica-1");
      assertThat(time(ticks.get(1), "nominal"))
          .isAfterOrEqualTo(time(ticks.get(0), "endedAt").plusSeconds(1));
      assertThat(receiver.calls().get(0).headers().get("Monotick-Fence")).isEqualTo("1.1");
      assertThat(receiver.calls().get(1).headers().get("Monotick-Fence")).isEqualTo("1.2");
      assertThat(receiver.calls().get(2).headers().get("Monotick-Fence")).isEqualTo("2.1");
    }
  }

  private int answer() {
    try {
      held.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 200;
  }

  private static List<JsonNode> ticks(Api api, String id) {
    return api.get("/v1/schedules/" + id + "/ticks").body().path("items").values().stream()
        .sorted(Comparator.comparing(tick -> tick.path("nominal").asString()))
        .toList();
  }

  private static Instant time(JsonNode tick, String field) {
    return Instant.parse(tick.path(field).asString());
  }
}
