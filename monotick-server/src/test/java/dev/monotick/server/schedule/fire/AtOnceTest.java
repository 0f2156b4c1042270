package dev.monotick.server.schedule.fire;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.event.EventListener;
import dev.monotick.server.database.ReplicaNotifications;
import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.ScheduleRecords;
import dev.monotick.server.schedule.TestSchedules;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/**
 * Two replicas that look for due schedules once a minute. The first takes no work any more but
 * still answers, so that whatever is asked of it must be done by the second.
 */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class AtOnceTest {

  private static final String FAR = "2100-01-01T00:00:00Z";

  /** Of three in a row at most one can be the minute's look. */
  private static final int ROUNDS = 3;

  private static final Duration SOON = Duration.ofSeconds(10);

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.schedules.interval", "1m")
          .with("monotick.quota.active-jobs", "unlimited");
  private Api asked = new Api(0, null);

  @BeforeAll
  void start() {
    asked = installation.start();
    Api working = installation.start();
    Eventually.until("both are known", () -> replicas(working).size() == 2);
    String id =
        replicas(working).stream()
            .filter(replica -> replica.path("name").asString().equals("replica-1"))
            .map(replica -> replica.path("id").asString())
            .findFirst()
            .orElseThrow();
    assertThat(working.post("/v1/replicas/" + id + "/drain").status()).isEqualTo(202);
    Eventually.until(
        "replica-1 takes no work",
        () ->
            replicas(working).stream()
                .anyMatch(replica -> replica.path("state").asString().equals("DRAINED")));
  }

  private static List<JsonNode> replicas(Api api) {
    return List.copyOf(api.get("/v1/replicas").body().values());
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  private Sql sql() {
    return installation.bean(1, Sql.class);
  }

  private Instant now() {
    return installation.bean(1, ScheduleRecords.class).now().truncatedTo(ChronoUnit.MILLIS);
  }

  private long calls(String path) {
    return receiver.calls().stream().filter(call -> call.path().equals(path)).count();
  }

  private Map<String, Object> at(String name, String at) {
    return TestSchedules.but(
        TestSchedules.without(TestSchedules.every(name, "PT1S", receiver.url("/" + name)), "every"),
        "at",
        at);
  }

  private List<JsonNode> ticks(String id) {
    JsonNode items = asked.get("/v1/schedules/" + id + "/ticks").body().path("items");
    return List.copyOf(items.values());
  }

  private void soon(String what, long begun, String path) {
    Eventually.until(what, () -> calls(path) == 1);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(what).isLessThan(SOON);
  }

  @Test
  void anEditAtOneReplicaIsActedOnByAnotherThatIsNotAboutToLook() {
    for (int i = 0; i < ROUNDS; i++) {
      String name = "edited-" + i;
      String id = TestSchedules.create(asked, at(name, FAR));

      long begun = System.nanoTime();
      Api.Answer changed =
          asked
              .with("If-Match", "*")
              .call("PUT", "/v1/schedules/" + id, at(name, now().plusMillis(1_500).toString()));

      assertThat(changed.status()).as(changed.raw().body()).isEqualTo(200);
      soon("the edit takes effect", begun, "/" + name);
      assertThat(ticks(id).get(0).path("replica").asString()).isEqualTo("replica-2");
    }
  }

  @Test
  void soIsWhatIsSwitchedOn() {
    for (int i = 0; i < ROUNDS; i++) {
      String name = "enabled-" + i;
      String soon = now().plusSeconds(2).toString();
      String id = TestSchedules.create(asked, TestSchedules.but(at(name, soon), "enabled", false));

      long begun = System.nanoTime();
      assertThat(asked.post("/v1/schedules/" + id + "/enable").status()).isEqualTo(200);

      soon("it fires", begun, "/" + name);
    }
  }

  @Test
  void soIsWhatIsTriggered() {
    for (int i = 0; i < ROUNDS; i++) {
      String name = "triggered-" + i;
      String id = TestSchedules.create(asked, at(name, FAR));

      long begun = System.nanoTime();
      assertThat(asked.post("/v1/schedules/" + id + "/trigger").status()).isEqualTo(201);

      soon("its job runs", begun, "/" + name);
    }
  }

  @Test
  void whatIsToldOftenIsToldInFewNotices() {
    FiringLoop loop = installation.bean(0, FiringLoop.class);
    AtomicInteger heard = new AtomicInteger();
    try (EventListener.Subscription counting =
        installation
            .bean(1, ReplicaNotifications.class)
            .listen("schedules", heard::incrementAndGet)) {
      assertThat(counting).isNotNull();

      for (int i = 0; i < 10_000; i++) {
        loop.pollSoon();
      }

      TestSchedules.create(asked, at("after-many", now().plusMillis(1_500).toString()));
      Eventually.until("it fires", () -> calls("/after-many") == 1);
      assertThat(heard.get()).isBetween(1, 200);
    }
  }

  @Test
  void ticksAndCallsCarryAFenceThatGrows() {
    String id =
        TestSchedules.create(asked, TestSchedules.every("fenced", "PT1S", receiver.url("/fenced")));
    Eventually.until("it fires", () -> calls("/fenced") >= 3);
    assertThat(asked.post("/v1/schedules/" + id + "/trigger").status()).isEqualTo(201);
    assertThat(asked.post("/v1/schedules/" + id + "/disable").status()).isEqualTo(200);
    Eventually.until(
        "all were called",
        () -> ticks(id).stream().filter(this::hasJob).count() == calls("/fenced"));

    List<JsonNode> oldestFirst =
        ticks(id).stream()
            .sorted(java.util.Comparator.comparing(tick -> tick.path("firedAt").asString()))
            .toList();
    List<Long> fences =
        oldestFirst.stream().map(tick -> Long.valueOf(tick.path("fence").asString())).toList();
    assertThat(fences).doesNotHaveDuplicates().isSorted();
    assertThat(oldestFirst)
        .filteredOn(tick -> tick.path("trigger").asString().isEmpty())
        .allMatch(tick -> tick.path("replica").asString().equals("replica-2"));
    Map<Instant, String> called =
        receiver.calls().stream()
            .filter(call -> call.path().equals("/fenced"))
            .collect(
                Collectors.toMap(
                    call -> Instant.parse(call.headers().get("Monotick-Nominal-Time")),
                    call -> requireNonNull(call.headers().get("Monotick-Fence"))));
    assertThat(called)
        .isEqualTo(
            oldestFirst.stream()
                .filter(this::hasJob)
                .collect(
                    Collectors.toMap(
                        tick -> Instant.parse(tick.path("nominal").asString()),
                        tick -> tick.path("fence").asString() + ".1")));
  }

  private boolean hasJob(JsonNode tick) {
    return !tick.path("job").asString("").isEmpty();
  }

  @Test
  void whoeverComesWithAnOldFenceMakesNothing() {
    String id = TestSchedules.create(asked, at("stale", FAR));
    assertThat(asked.post("/v1/schedules/" + id + "/trigger").status()).isEqualTo(201);
    FiringStore ledger = installation.bean(1, FiringStore.class);
    UUID schedule = UUID.fromString(id);
    TickInsert late =
        new TickInsert(schedule, FAR, "", "default", 1, null, "SKIPPED", "overlap", 1);

    assertThatThrownBy(
            () ->
                sql()
                    .inTransaction(
                        () -> {
                          ledger.insert(List.of(late), "replica-0");
                          ledger.advance(
                              List.of(new ScheduleChange(schedule, null, null, 0, 0, 1, 0, 0)));
                        }))
        .isInstanceOf(StaleFenceException.class);

    assertThat(ticks(id)).hasSize(1);
    assertThat(asked.get("/v1/schedules/" + id).text("nextAt")).isEqualTo(FAR);
  }

  /** The timer is only there to help the task. */
  @Test
  void aPausedTaskFiresNothing() {
    Api working = installation.api(1);
    Work.expect(200, working.post("/v1/tasks/schedule-firing/pause"));
    try {
      String id = TestSchedules.create(asked, at("held-back", now().plusMillis(200).toString()));
      Instant later = now().plusMillis(700);
      Eventually.until("its time has passed", () -> now().isAfter(later));

      assertThat(ticks(id)).isEmpty();
    } finally {
      Work.expect(200, working.post("/v1/tasks/schedule-firing/resume"));
    }
    TestSchedules.create(asked, at("wakes", FAR));
    Eventually.until("it is made up for", () -> calls("/held-back") == 1);
  }
}
