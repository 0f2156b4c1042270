package dev.monotick.server.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.TestSchedules;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** Schedules whose next time follows the end of a job. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class FixedDelayTest {

  private static final Duration DELAY = Duration.ofSeconds(1);

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create().with("monotick.schedules.reconcile-interval", "200ms");
  private Api api = new Api(0, null);

  @BeforeAll
  void start() {
    api = installation.start();
    installation.start();
    receiver.answers(FixedDelayTest::answer);
  }

  private static int answer(Receiver.Call call) {
    if (call.path().equals("/slow")) {
      LockSupport.parkNanos(Duration.ofMillis(700).toNanos());
    }
    return call.path().equals("/broken") ? 500 : 200;
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  private Map<String, Object> delayed(String name, String path) {
    return TestSchedules.but(
        TestSchedules.without(TestSchedules.every(name, "PT1S", receiver.url(path)), "every"),
        "fixedDelay",
        DELAY.toString());
  }

  private List<JsonNode> ticks(String id) {
    return api.get("/v1/schedules/" + id + "/ticks").body().path("items").values().stream()
        .sorted(Comparator.comparing(tick -> tick.path("nominal").asString()))
        .toList();
  }

  private long calls(String path) {
    return receiver.calls().stream().filter(call -> call.path().equals(path)).count();
  }

  private static Instant time(JsonNode node, String field) {
    return Instant.parse(node.path(field).asString());
  }

  @Test
  void theNextTimeFollowsTheEndOfTheJob() {
    String id = TestSchedules.create(api, delayed("slow", "/slow"));
    Api.Answer made = api.get("/v1/schedules/" + id);
    assertThat(made.body().path("nextTimes")).hasSize(1);
    Eventually.until("it runs", () -> calls("/slow") >= 1);
    Eventually.until(
        () -> "it waits for its job: " + api.get("/v1/schedules/" + id).body(),
        () -> api.get("/v1/schedules/" + id).body().path("nextAt").isNull());
    assertThat(api.get("/v1/schedules/" + id).text("state")).isEqualTo("ACTIVE");

    Eventually.until("it runs again and again", () -> calls("/slow") >= 3);
    api.post("/v1/schedules/" + id + "/disable");

    List<JsonNode> ticks = ticks(id);
    for (int i = 1; i < ticks.size(); i++) {
      Duration between =
          Duration.between(time(ticks.get(i - 1), "endedAt"), time(ticks.get(i), "nominal"));
      assertThat(between).isBetween(DELAY, DELAY.plusMillis(2));
      assertThat(ticks.get(i).path("outcome").asString("")).isNotEqualTo("SKIPPED");
    }
  }

  @Test
  void itGoesOnWhenItsJobFailedOrWasCalledOff() {
    Map<String, Object> broken = delayed("broken", "/broken");
    broken.put("job", Work.http(receiver.url("/broken"), "maxAttempts", 1));
    String failing = TestSchedules.create(api, broken);
    Map<String, Object> waiting = delayed("cancelled", "/cancelled");
    waiting.put("job", Work.http(receiver.url("/cancelled"), "queue", "stopped"));
    Work.expect(204, api.post("/v1/queues/stopped/pause"));
    String cancelled = TestSchedules.create(api, waiting);

    Eventually.until("it fails twice", () -> calls("/broken") >= 2);
    Eventually.until("it has a job", () -> !ticks(cancelled).isEmpty());
    String job = ticks(cancelled).get(0).path("job").asString();
    Work.expect(200, api.post("/v1/jobs/" + job + "/cancel"));

    Eventually.until("it has another job", () -> ticks(cancelled).size() == 2);
    assertThat(ticks(cancelled).get(0).path("outcome").asString()).isEqualTo("CANCELLED");
    api.post("/v1/schedules/" + failing + "/disable");

    // Nobody will ever tell how that one ended.
    String forgotten = ticks(cancelled).get(1).path("job").asString();
    Sql sql = installation.bean(0, Sql.class);
    for (String table : List.of("@@job_ready", "@@job")) {
      sql.composed("delete from " + table + " where id = :id")
          .param("id", Long.valueOf(forgotten))
          .update();
    }
    Eventually.until("it goes on", () -> ticks(cancelled).size() == 3);
    api.post("/v1/schedules/" + cancelled + "/disable");
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThat(refused("fixedDelay", "PT0.5S")).isEqualTo("fixedDelay");
    assertThat(refused("fixedDelay", "often")).isEqualTo("fixedDelay");
    assertThat(refused("every", "PT1S")).isEqualTo("cron");
    assertThat(refused("from", "2100-01-01T00:00:00Z")).isEqualTo("from");
    assertThat(refused("until", "2100-01-01T00:00:00Z")).isEqualTo("until");
    assertThat(refused("exclusions", List.of("SAT"))).isEqualTo("exclusions");
    Api.Answer preview = api.post("/v1/schedules/preview", Api.json("fixedDelay", "PT30S"));
    assertThat(preview.body().path("times")).hasSize(1);
    assertThat(preview.body().at("/times/0/remark").asString()).contains("end of its job");
    assertThat(preview.text("description")).contains("after the end of the last run");
    String id =
        TestSchedules.create(
            api, TestSchedules.but(delayed("refusing", "/never"), "enabled", false));
    Api.Answer backfill =
        api.post("/v1/schedules/" + id + "/backfill", Api.json("from", "2026-01-01T00:00:00Z"));
    assertThat(backfill.status()).isEqualTo(409);
  }

  private String refused(String field, Object value) {
    Api.Answer answer =
        api.post("/v1/schedules", TestSchedules.but(delayed("wrong", "/never"), field, value));
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(400);
    return answer.text("field");
  }
}
