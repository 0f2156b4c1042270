package dev.monotick.server.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.JsonNode;

/** Two replicas, and what an operator sees and does through either of them. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class) // the last ones take replicas away
class OperateTest {

  private final Installation installation =
      Installation.create()
          .with("monotick.replica.view-interval", "200ms")
          .with("monotick.replica.commands-interval", "100ms");
  private Api first = new Api(0, null);
  private Api second = new Api(0, null);

  @BeforeAll
  void start() {
    first = installation.start();
    second = installation.start();
    Eventually.until(
        "both replicas are seen by both",
        () -> replicas(first).size() == 2 && replicas(second).size() == 2);
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private static List<JsonNode> replicas(Api api) {
    return List.copyOf(api.get("/v1/replicas").body().values());
  }

  private static JsonNode group(Api api, String name) {
    return api.get("/v1/leadership").body().path("groups").values().stream()
        .filter(group -> group.path("group").asString().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String name(JsonNode node) {
    return node.path("name").asString();
  }

  @Test
  @Order(1)
  void theTruthTableHasEveryTaskOfEveryReplica() {
    Eventually.until(
        "both replicas tell of replica-cleanup",
        () -> second.get("/v1/tasks/replica-cleanup").body().path("replicas").size() == 2);

    JsonNode row = second.get("/v1/tasks/replica-cleanup").body();

    assertThat(row.path("policy").path("mode").asString()).isEqualTo("LEADER");
    assertThat(row.path("policy").path("effect").asString()).isNotEmpty();
    assertThat(row.path("counts").path("duplicatesRefused").isNumber()).isTrue();
    assertThat(second.get("/v1/tasks").body().size()).isGreaterThanOrEqualTo(3);
    assertThat(second.get("/v1/tasks/none").status()).isEqualTo(404);
  }

  @Test
  @Order(1)
  void theTruthTableHasTheEnginesOwnLoops() {
    String id = Work.create(first, Work.later());
    Object approval = Api.json("within", "PT1H");
    String asks = Work.create(first, Work.later("approval", approval));

    JsonNode release = second.get("/v1/tasks/engine-job-release").body();
    JsonNode heartbeat = second.get("/v1/tasks/engine-heartbeat").body();

    assertThat(release.at("/engine/figures/nextDueAt").asString())
        .isEqualTo(first.get("/v1/jobs/" + id).text("dueAt"));
    assertThat(release.at("/engine/figures/overdue").asInt()).isZero();
    assertThat(release.at("/policy/mode").asString()).isEqualTo("SHARED");
    assertThat(
            second
                .get("/v1/tasks/engine-job-expiry")
                .body()
                .at("/engine/figures/nextDueAt")
                .asString())
        .isNotEmpty();
    assertThat(heartbeat.at("/engine/figures/replicas").asInt()).isEqualTo(2);
    assertThat(heartbeat.path("lastEndedAt").asString()).isNotEmpty();
    assertThat(second.get("/v1/tasks").body().findValuesAsString("name"))
        .contains("engine-job-rescue", "engine-job-sums", "engine-maintenance", "replica-cleanup");
    Api.Answer refused = second.post("/v1/tasks/engine-job-release/pause");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.text("type")).endsWith("part-of-engine");
    Work.expect(200, first.post("/v1/jobs/" + id + "/cancel"));
    Work.expect(200, first.post("/v1/jobs/" + asks + "/cancel"));
  }

  @Test
  @Order(2)
  void aTaskIsPausedAndResumedOnAllReplicas() {
    assertThat(
            first
                .post("/v1/tasks/replica-cleanup/pause", Api.json("note", "a look at it"))
                .status())
        .isEqualTo(200);
    Eventually.until(
        "the other replica sees the pause",
        () ->
            second
                .get("/v1/tasks/replica-cleanup")
                .body()
                .path("paused")
                .asString("")
                .contains("a look at it"));

    assertThat(second.post("/v1/tasks/replica-cleanup/resume").status()).isEqualTo(200);
    Eventually.until(
        "the first replica sees the end of it",
        () -> first.get("/v1/tasks/replica-cleanup").text("paused").isEmpty());
  }

  /** Each replica has such a task for itself, so each must be told. */
  @Test
  @Order(2)
  void soIsATaskThatAllReplicasRun() {
    Api.Answer answer =
        Work.expect(
            200, first.post("/v1/tasks/schedule-reconcile/pause", Api.json("note", "all of you")));
    assertThat(answer.text("paused")).isEqualTo("paused by admin: all of you");
    for (int replica = 0; replica < 2; replica++) {
      int each = replica;
      Eventually.until("replica " + each + " pauses it", () -> isPaused(each));
    }

    Work.expect(200, second.post("/v1/tasks/schedule-reconcile/resume"));
    for (int replica = 0; replica < 2; replica++) {
      int each = replica;
      Eventually.until("replica " + each + " resumes it", () -> !isPaused(each));
    }
    Eventually.until(
        "all see that", () -> first.get("/v1/tasks/schedule-reconcile").text("paused").isEmpty());
  }

  private boolean isPaused(int replica) {
    return installation.bean(replica, Monotick.class).tasks().stream()
        .anyMatch(task -> task.name().equals("schedule-reconcile") && task.paused() != null);
  }

  @Test
  @Order(3)
  void aTaskIsTriggeredOnceForAKey() {
    Api keyed = first.with("Idempotency-Key", "look-now");

    assertThat(keyed.post("/v1/tasks/replica-cleanup/trigger").status()).isEqualTo(202);
    assertThat(keyed.post("/v1/tasks/replica-cleanup/trigger").status()).isEqualTo(202);

    Eventually.until(
        () -> "it ran: " + second.get("/v1/tasks/replica-cleanup/ticks").body(),
        () ->
            second.get("/v1/tasks/replica-cleanup/ticks").body().values().stream()
                    .filter(tick -> tick.path("trigger").asString("").equals("look-now"))
                    .filter(tick -> tick.path("outcome").asString("").equals("SUCCEEDED"))
                    .count()
                == 1);
  }

  @Test
  @Order(4)
  void aLeaderResignsThoughAnotherReplicaIsAsked() {
    Eventually.until("somebody leads", () -> group(first, "default").path("led").asBoolean());
    JsonNode before = group(first, "default");
    Api other = name(before).equals("replica-1") ? second : first;

    assertThat(other.post("/v1/leadership/default/resign").status()).isEqualTo(202);

    Eventually.until(
        () -> "another term began than " + before + ": " + group(first, "default"),
        () ->
            group(first, "default").path("led").asBoolean()
                && !group(first, "default").path("fence").equals(before.path("fence")));
    assertThat(first.post("/v1/leadership/none/resign").status()).isEqualTo(404);
  }

  @Test
  @Order(5)
  void aDrainedReplicaTakesNoWorkAndSaysSo() {
    JsonNode replica =
        replicas(second).stream()
            .filter(each -> name(each).equals("replica-1"))
            .findFirst()
            .orElseThrow();

    assertThat(second.post("/v1/replicas/" + replica.path("id").asString() + "/drain").status())
        .isEqualTo(202);

    Eventually.until(
        () -> "replica-1 is drained: " + replicas(second),
        () ->
            replicas(second).stream()
                .anyMatch(
                    each ->
                        name(each).equals("replica-1")
                            && each.path("state").asString().equals("DRAINED")));
    assertThat(first.as(null).get("/health/readiness").status()).isEqualTo(503);
    Eventually.until(
        () -> "replica-2 leads: " + group(second, "default"),
        () ->
            name(group(second, "default")).equals("replica-2")
                && group(second, "default").path("led").asBoolean());
  }

  @Test
  @Order(6)
  void whatWasDoneIsOnRecord() {
    List<String> acts =
        second.get("/v1/audit?scope=installation&limit=500").body().path("items").values().stream()
            .filter(event -> event.path("actor").asString().equals("admin"))
            .map(event -> event.path("action").asString() + " " + event.path("subject").asString())
            .toList();

    assertThat(acts)
        .contains(
            "task_paused task/replica-cleanup",
            "task_resumed task/replica-cleanup",
            "task_triggered task/replica-cleanup",
            "leader_resign_asked leadership/default")
        .anyMatch(act -> act.startsWith("replica_drain_asked replica/"));
  }
}
