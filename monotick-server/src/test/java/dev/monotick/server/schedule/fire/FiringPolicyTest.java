package dev.monotick.server.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.TestSchedules;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** What happens to ticks that cannot simply run. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class FiringPolicyTest {

  private final Receiver receiver = new Receiver();
  private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
  private final Installation installation =
      Installation.create()
          .with("monotick.quota.active-jobs", "unlimited")
          .with("monotick.schedules.reconcile-interval", "200ms")
          .with("monotick.schedules.retention-interval", "1s");
  private Api api = new Api(0, null);

  @BeforeAll
  void start() {
    receiver.answers(
        call -> {
          CountDownLatch latch = held.get(call.path());
          if (latch != null) {
            await(latch);
          }
          return call.path().startsWith("/failing") ? 400 : 200;
        });
    api = installation.start();
  }

  @AfterAll
  void stop() {
    held.values().forEach(CountDownLatch::countDown);
    installation.close();
    receiver.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(25, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String hold(String path) {
    held.put(path, new CountDownLatch(1));
    return receiver.url(path);
  }

  private void release(String path) {
    CountDownLatch latch = held.remove(path);
    if (latch != null) {
      latch.countDown();
    }
  }

  private Sql sql() {
    return installation.bean(0, Sql.class);
  }

  private List<JsonNode> ticks(String id) {
    List<JsonNode> ticks = new ArrayList<>();
    api.get("/v1/schedules/" + id + "/ticks?limit=500").body().path("items").forEach(ticks::add);
    return ticks;
  }

  private List<JsonNode> ticks(String id, String outcome, String reason) {
    return ticks(id).stream()
        .filter(tick -> tick.path("outcome").asString("").equals(outcome))
        .filter(tick -> reason.isEmpty() || tick.path("reason").asString("").equals(reason))
        .toList();
  }

  private JsonNode counts(String id) {
    return api.get("/v1/schedules/" + id).body().path("counts");
  }

  private void disable(String id) {
    assertThat(api.post("/v1/schedules/" + id + "/disable").status()).isEqualTo(200);
  }

  /** As if nobody had looked since then: the next tick was due so many hours ago. */
  private void setBack(String id, int hours) {
    sql()
        .of(
            """
            update @schedule set next_at = date_trunc('hour', now()) - :hours * interval '1 h'
             where id = :id
            """)
        .param("hours", hours)
        .param("id", UUID.fromString(id))
        .update();
  }

  private List<String> audited(String id) {
    return sql()
        .of("select action from @audit_event where subject = :subject order by seq")
        .param("subject", "schedule/" + id)
        .query((row, number) -> row.getString(1))
        .list();
  }

  @Test
  void aTickIsSkippedWhileTheJobBeforeItGoesOn() {
    String id = TestSchedules.create(api, TestSchedules.every("skip", "PT1S", hold("/skip")));

    Eventually.until("two are skipped", () -> ticks(id, "SKIPPED", "overlap").size() >= 2);

    assertThat(ticks(id, "", "")).hasSize(1);
    release("/skip");
    Eventually.until("it goes on", () -> ticks(id, "SUCCEEDED", "").size() >= 2);
    disable(id);
    assertThat(counts(id).path("skipped").asInt()).isGreaterThanOrEqualTo(2);
    assertThat(audited(id)).contains("schedule_fired", "schedule_skipped", "schedule_disabled");
  }

  @Test
  void oneTickWaitsForTheJobBeforeIt() {
    String id =
        TestSchedules.create(
            api,
            TestSchedules.but(
                TestSchedules.every("queue", "PT1S", hold("/queue")), "onOverlap", "QUEUE_ONE"));

    Eventually.until("one is skipped", () -> !ticks(id, "SKIPPED", "overlap").isEmpty());
    List<JsonNode> open = ticks(id, "", "");
    assertThat(open).hasSize(2); // newest first: one waits, one goes on
    assertThat(open.get(0).path("job").isNull()).isTrue();
    release("/queue");

    String waited = open.get(0).path("nominal").asString();
    Eventually.until(
        "the one that waited ran",
        () ->
            ticks(id, "SUCCEEDED", "").stream()
                .anyMatch(tick -> tick.path("nominal").asString().equals(waited)));
    disable(id);
  }

  @Test
  void aNewTickCancelsTheJobBeforeIt() {
    String id =
        TestSchedules.create(
            api,
            TestSchedules.but(
                TestSchedules.every("cancel", "PT2S", hold("/cancel")),
                "onOverlap",
                "CANCEL_PREVIOUS"));

    Eventually.until("one was cancelled", () -> !ticks(id, "CANCELLED", "").isEmpty());
    release("/cancel");
    Eventually.until("one succeeds", () -> !ticks(id, "SUCCEEDED", "").isEmpty());
    disable(id);
  }

  @Test
  void ofAGapTheLatestRunsAndTheRestIsOneRow() {
    String id = TestSchedules.create(api, TestSchedules.every("gap", "PT1H", receiver.url("/gap")));

    setBack(id, 60);

    Eventually.until("it ran", () -> ticks(id, "SUCCEEDED", "").size() == 1);
    disable(id);
    assertThat(ticks(id, "MISSED", ""))
        .singleElement()
        .satisfies(row -> assertThat(row.path("count").asInt()).isEqualTo(60));
    assertThat(counts(id).path("missed").asInt()).isEqualTo(60);
    assertThat(counts(id).path("fired").asInt()).isEqualTo(1);
    assertThat(audited(id)).contains("schedule_missed");
  }

  @Test
  void allOfAGapRunOneAfterTheOtherIfThatIsWanted() {
    String id =
        TestSchedules.create(
            api,
            TestSchedules.but(
                TestSchedules.every("all", "PT1H", receiver.url("/all")),
                "catchUp",
                Api.json("mode", "ALL", "most", 4)));

    setBack(id, 10);

    Eventually.until("all ran", () -> ticks(id, "SUCCEEDED", "").size() >= 4);
    disable(id);
    assertThat(counts(id).path("missed").asInt()).isEqualTo(7);
    assertThat(counts(id).path("skipped").asInt()).isZero();
  }

  private static Map<String, Object> hourly(String name, String url, String onOverlap) {
    return TestSchedules.but(TestSchedules.every(name, "PT1H", url), "onOverlap", onOverlap);
  }

  /** Returns the nominal times that ran, in the order in which their calls came. */
  private List<String> called(String path) {
    return receiver.calls().stream()
        .filter(call -> call.path().equals(path))
        .map(call -> String.valueOf(call.headers().get("Monotick-Nominal-Time")))
        .toList();
  }

  @Test
  void allOfAGapRunInTheirOrder() {
    String id =
        TestSchedules.create(
            api,
            TestSchedules.but(
                hourly("order", receiver.url("/order"), "SKIP"),
                "catchUp",
                Api.json("mode", "ALL", "most", 5)));

    setBack(id, 10);

    Eventually.until("all ran", () -> ticks(id, "SUCCEEDED", "").size() >= 5);
    disable(id);
    assertThat(called("/order")).hasSizeGreaterThanOrEqualTo(5).isSorted();
  }

  @Test
  void theLatestTickOfAGapWaitsForAJobThatGoesOn() {
    for (String onOverlap : List.of("SKIP", "QUEUE_ONE")) {
      String path = "/late-" + onOverlap;
      String id = TestSchedules.create(api, hourly("late-" + onOverlap, hold(path), onOverlap));
      assertThat(api.post("/v1/schedules/" + id + "/trigger").status()).isEqualTo(201);

      setBack(id, 10);

      Eventually.until("it fired", () -> !ticks(id, "MISSED", "").isEmpty());
      assertThat(ticks(id, "SKIPPED", "overlap")).isEmpty();
      release(path);
      Eventually.until("both ran", () -> ticks(id, "SUCCEEDED", "").size() == 2);
      disable(id);
      assertThat(counts(id).path("missed").asInt()).isEqualTo(10);
    }
  }

  @Test
  void theLatestTickOfAGapTakesThePlaceOfOneThatWaits() {
    String id = TestSchedules.create(api, hourly("place", hold("/place"), "QUEUE_ONE"));
    assertThat(api.post("/v1/schedules/" + id + "/trigger").status()).isEqualTo(201);
    Eventually.until("its job goes on", () -> calls("/place") == 1);
    sql()
        .of(
            """
            insert into @schedule_tick (schedule, nominal, tenant, replica, fired_at)
            values (:id, date_trunc('hour', now()) - interval '20 h', 'default', 'r', now())
            """)
        .param("id", UUID.fromString(id))
        .update();

    setBack(id, 10);

    Eventually.until("it fired", () -> !ticks(id, "MISSED", "").isEmpty());
    assertThat(ticks(id, "SKIPPED", "overlap")).isEmpty();
    release("/place");
    Eventually.until("the latest ran", () -> ticks(id, "SUCCEEDED", "").size() == 2);
    disable(id);
    assertThat(calls("/place")).isEqualTo(2);
    assertThat(counts(id).path("missed").asInt()).isEqualTo(11);
  }

  @Test
  void noneOfAGapRunsIfThatIsWanted() {
    String id =
        TestSchedules.create(
            api,
            TestSchedules.but(
                TestSchedules.every("none", "PT1H", receiver.url("/none")),
                "catchUp",
                Api.json("mode", "NONE")));

    setBack(id, 3);

    Eventually.until("they are missed", () -> !ticks(id, "MISSED", "").isEmpty());
    disable(id);
    assertThat(counts(id).path("missed").asInt()).isGreaterThanOrEqualTo(3);
  }

  @Test
  void aFailingTargetPausesItsSchedule() {
    String id =
        TestSchedules.create(
            api,
            TestSchedules.but(
                TestSchedules.every("failing", "PT1S", receiver.url("/failing")),
                "pauseAfterFailures",
                2));

    Eventually.until(
        "it pauses", () -> api.get("/v1/schedules/" + id).text("state").equals("PAUSED"));
    JsonNode pause = api.get("/v1/schedules/" + id).body().path("pause");
    assertThat(pause.path("by").asString()).isEqualTo("system");
    assertThat(pause.path("note").asString()).contains("2 jobs in a row failed").contains("400");
    assertThat(ticks(id, "FAILED", "")).hasSize(2);
    assertThat(audited(id)).contains("schedule_auto_paused");
    Api.Answer resumed = api.post("/v1/schedules/" + id + "/resume");
    assertThat(resumed.body().path("counts").path("failuresInRow").asInt()).isZero();
    disable(id);
  }

  @Test
  void aScheduleNobodyUnderstandsBacksOffAndPauses() {
    String id =
        TestSchedules.create(api, TestSchedules.every("poison", "PT1S", receiver.url("/poison")));
    String worse =
        TestSchedules.create(api, TestSchedules.every("worse", "PT1S", receiver.url("/worse")));
    sql()
        .of(
            """
            update @schedule
               set spec = jsonb_set(jsonb_set(spec, '{job,kind}', '"magic"'),
                                    '{pauseAfterFailures}', '2'), version = version + 1
             where id = :id
            """)
        .param("id", UUID.fromString(id))
        .update();
    sql()
        .of(
            "update @schedule set spec = '{\"every\": 7}', refusals = 9, version = 2 where id = :id")
        .param("id", UUID.fromString(worse))
        .update();

    Eventually.until(
        "both pause",
        () ->
            api.get("/v1/schedules/" + id).text("state").equals("PAUSED")
                && api.get("/v1/schedules/" + worse).text("state").equals("PAUSED"));

    assertThat(ticks(id, "FAILED", "")).hasSize(2);
    assertThat(audited(id)).contains("schedule_refused", "schedule_auto_paused");
    assertThat(api.get("/v1/schedules/" + worse).text("problem")).isNotEmpty();
    Api.Answer mended =
        api.with("If-Match", "*")
            .call(
                "PUT",
                "/v1/schedules/" + worse,
                TestSchedules.every("worse", "PT1S", receiver.url("/worse")));
    assertThat(mended.status()).isEqualTo(200);
    api.post("/v1/schedules/" + worse + "/resume");
    Eventually.until("it runs again", () -> !ticks(worse, "SUCCEEDED", "").isEmpty());
    disable(worse);
  }

  @Test
  void aTickWithoutRoomIsSkippedAndDoesNotHammer() {
    sql().of("insert into @tenant (name, active_jobs) values ('poor', 0)").update();
    Api poor = api.with("Monotick-Tenant", "poor");
    String id =
        TestSchedules.create(
            poor,
            TestSchedules.but(
                TestSchedules.every("poor", "PT1S", receiver.url("/poor")),
                "pauseAfterFailures",
                3));

    Eventually.until(
        "it pauses", () -> poor.get("/v1/schedules/" + id).text("state").equals("PAUSED"));

    JsonNode counts = poor.get("/v1/schedules/" + id).body().path("counts");
    assertThat(counts.path("fired").asInt()).isZero();
    assertThat(
            sql()
                .of("select reason from @schedule_tick where schedule = :id order by nominal")
                .param("id", UUID.fromString(id))
                .query((row, number) -> row.getString(1))
                .list())
        .contains("backoff")
        .filteredOn(reason -> reason.equals("quota"))
        .hasSize(3);
    assertThat(audited(id))
        .filteredOn(action -> action.equals("schedule_refused"))
        .hasSize(2); // of three
    assertThat(calls("/poor")).isZero();
  }

  @Test
  void schedulesOfASuspendedTenantWaitAndAreNotBlamed() {
    sql().of("insert into @tenant (name) values ('idle')").update();
    Api idle = api.with("Monotick-Tenant", "idle");
    String id =
        TestSchedules.create(idle, TestSchedules.every("idle", "PT1S", receiver.url("/idle")));

    sql().of("update @tenant set suspended = true where name = 'idle'").update();

    Eventually.until(
        "it is passed over",
        () ->
            sql()
                .of("select reason from @schedule_tick where schedule = :id")
                .param("id", UUID.fromString(id))
                .query((row, number) -> row.getString(1))
                .list()
                .contains("suspended"));
    // Nobody may read for a suspended tenant, and the gate remembers for a second that it is one.
    sql().of("update @tenant set suspended = false where name = 'idle'").update();
    Eventually.until("it may be read again", () -> idle.get("/v1/schedules/" + id).status() == 200);
    Api.Answer view = idle.get("/v1/schedules/" + id);
    assertThat(view.text("state")).isEqualTo("ACTIVE");
    assertThat(view.text("notBefore")).isNotEmpty();
    assertThat(view.body().path("counts").path("refusalsInRow").asInt()).isZero();
  }

  private long calls(String path) {
    return receiver.calls().stream().filter(call -> call.path().equals(path)).count();
  }

  @Test
  void whatWasDueInAPauseIsNotMadeUpFor() {
    String id =
        TestSchedules.create(api, TestSchedules.every("resume", "PT1H", receiver.url("/resume")));
    api.post("/v1/schedules/" + id + "/pause", Api.json("note", "later"));
    setBack(id, 10);

    Api.Answer resumed = api.post("/v1/schedules/" + id + "/resume");

    assertThat(resumed.text("state")).isEqualTo("ACTIVE");
    assertThat(ticks(id, "SKIPPED", "paused"))
        .singleElement()
        .satisfies(row -> assertThat(row.path("count").asInt()).isEqualTo(11));
    assertThat(counts(id).path("fired").asInt()).isLessThanOrEqualTo(1);
    disable(id);
    setBack(id, 20);
    api.post("/v1/schedules/" + id + "/enable");
    assertThat(ticks(id, "SKIPPED", "disabled")).hasSize(1);
    assertThat(counts(id).path("fired").asInt()).isLessThanOrEqualTo(1);
    disable(id);
  }

  @Test
  void aPauseEndsByItself() {
    String id =
        TestSchedules.create(api, TestSchedules.every("until", "PT1S", receiver.url("/until")));
    String until =
        sql()
            .of(
                "select to_char((now() + interval '2 s') at time zone 'UTC',"
                    + " 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
            .query(String.class)
            .single();

    Api.Answer paused = api.post("/v1/schedules/" + id + "/pause", Api.json("until", until));

    assertThat(paused.text("state")).isEqualTo("PAUSED");
    Eventually.until("it runs again", () -> !ticks(id, "SKIPPED", "paused").isEmpty());
    Eventually.until("it fires", () -> ticks(id, "SUCCEEDED", "").size() >= 2);
    disable(id);
    assertThat(audited(id)).contains("schedule_resumed");
  }

  @Test
  void aOneShotFiresOnceAndIsFinished() {
    Map<String, Object> spec = TestSchedules.every("shot", "PT1S", receiver.url("/shot"));
    String at =
        sql()
            .of(
                "select to_char((now() + interval '4 s') at time zone 'UTC',"
                    + " 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
            .query(String.class)
            .single();

    String id =
        TestSchedules.create(
            api, TestSchedules.but(TestSchedules.without(spec, "every"), "at", at));

    Eventually.until("it ran", () -> ticks(id, "SUCCEEDED", "").size() == 1);
    assertThat(api.get("/v1/schedules/" + id).text("state")).isEqualTo("FINISHED");
    assertThat(receiver.calls())
        .filteredOn(call -> call.path().equals("/shot"))
        .singleElement()
        .satisfies(
            call ->
                assertThat(java.time.Instant.parse(call.headers().get("Monotick-Nominal-Time")))
                    .isEqualTo(java.time.Instant.parse(at)));
  }

  @Test
  void jobsThatAreForgottenLeaveNoTickOpen() {
    String id =
        TestSchedules.create(api, TestSchedules.cron("forgotten", "0 0 1 1 *", receiver.url("/f")));
    sql()
        .of(
            """
            insert into @schedule_tick (schedule, nominal, tenant, job_id, replica, fired_at)
            values (:id, now() - interval '2 h', 'default', 1, 'gone', now() - interval '2 h')
            """)
        .param("id", UUID.fromString(id))
        .update();

    Eventually.until("it is told", () -> ticks(id, "UNKNOWN", "").size() == 1);
  }
}
