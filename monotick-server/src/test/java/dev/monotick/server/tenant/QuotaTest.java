package dev.monotick.server.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Limits of tenants, on three replicas. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class QuotaTest {

  private static final int CLIENTS = 50;

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.job-retention.interval", "1s")
          .with("monotick.job-retention.grace", "0s")
          .with("monotick.quota.queues", "3")
          .with("monotick.quota.queue-depth", "300");

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
    receiver.close();
  }

  /** Has many clients do the same at the same time, each at another replica than the next. */
  private List<Api.Answer> together(Api api, Function<Api, Api.Answer> act) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      CountDownLatch ready = new CountDownLatch(CLIENTS);
      List<Future<Api.Answer>> answers = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Api client = api.at(installation.port(i % 3));
        answers.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return act.apply(client);
                }));
      }
      List<Api.Answer> all = new ArrayList<>();
      for (Future<Api.Answer> each : answers) {
        all.add(each.get());
      }
      return all;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Map<Integer, Long> statuses(List<Api.Answer> answers) {
    return answers.stream()
        .collect(Collectors.groupingBy(Api.Answer::status, Collectors.counting()));
  }

  private long jobsOf(String tenant) {
    return installation
        .bean(0, Sql.class)
        .of(
            "select count(*) from @@job j join @@job_lane l on l.id = j.lane where l.tenant = :tenant")
        .param("tenant", tenant)
        .query(Long.class)
        .single();
  }

  private long refusalsOnRecord(String tenant) {
    return installation
        .bean(0, Sql.class)
        .of("select count(*) from @audit_event where tenant = :tenant and action = 'quota_refused'")
        .param("tenant", tenant)
        .query(Long.class)
        .single();
  }

  private static double percent(Api api, String quota) {
    for (var each : api.get("/v1/usage").body().path("quotas")) {
      if (each.path("quota").asString().equals(quota)) {
        return each.path("percent").asDouble();
      }
    }
    throw new AssertionError("no " + quota);
  }

  @Test
  void fiftyClientsOnThreeReplicasGetTenJobsAndNeverEleven() throws Exception {
    Api acme = Work.tenant(installation.api(), "race");

    List<Api.Answer> answers = together(acme, client -> client.post("/v1/jobs", Work.later()));

    assertThat(statuses(answers)).isEqualTo(Map.of(201, 10L, 429, 40L));
    assertThat(jobsOf("race")).isEqualTo(10);
    assertThat(answers)
        .filteredOn(answer -> answer.status() == 429)
        .allSatisfy(
            answer -> {
              assertThat(answer.header("Retry-After")).isNotEmpty();
              assertThat(answer.text("quota")).isEqualTo("activeJobs");
              assertThat(answer.body().path("limit").asInt()).isEqualTo(10);
              assertThat(answer.body().path("used").asInt()).isEqualTo(10);
            });
    assertThat(percent(acme, "activeJobs")).isEqualTo(100.0);
    Eventually.until("the refusal is on record", () -> refusalsOnRecord("race") > 0);
    Work.expect(429, acme.post("/v1/jobs", Work.later()));
    assertThat(refusalsOnRecord("race")).as("once a minute").isEqualTo(1);
  }

  @Test
  void batchesAreCountedAsAWhole() throws Exception {
    Api acme = Work.tenant(installation.api(), "batches");
    Object three = Api.json("jobs", List.of(Work.later(), Work.later(), Work.later()));

    List<Api.Answer> answers = together(acme, client -> client.post("/v1/jobs/batch", three));

    assertThat(statuses(answers)).isEqualTo(Map.of(201, 3L, 429, 47L));
    assertThat(jobsOf("batches")).isEqualTo(9);
  }

  @Test
  void roomIsFreedByWhatEndsAndTakenByWhatIsRetried() {
    Api acme = Work.tenant(installation.api(), "room", "activeJobs", 1);
    String id = Work.create(acme, Work.later());
    Work.expect(429, acme.post("/v1/jobs", Work.later()));

    Work.expect(200, acme.post("/v1/jobs/" + id + "/cancel", Api.json("reason", "room")));
    Work.create(acme, Work.later());

    Work.expect(429, acme.post("/v1/jobs/" + id + "/retry"));
    assertThat(acme.get("/v1/jobs/" + id).text("state")).isEqualTo("CANCELLED");
  }

  @Test
  void retriesFromThreeReplicasKeepTheLimit() throws Exception {
    Api acme = Work.tenant(installation.api(), "again", "activeJobs", "unlimited");
    List<Object> jobs = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      jobs.add(Work.http("http://127.0.0.1:9/never", "approval", Api.json("within", "PT1H")));
    }
    Api.Answer made = acme.post("/v1/jobs/batch", Api.json("jobs", jobs));
    List<String> ids = new ArrayList<>();
    made.body().path("jobs").forEach(each -> ids.add(each.path("id").asString()));
    for (String id : ids) {
      Work.expect(200, acme.post("/v1/jobs/" + id + "/cancel"));
    }
    patch("again", Api.json("quotas", Api.json("activeJobs", 10)));
    List<String> left = new ArrayList<>(ids);

    List<Api.Answer> answers =
        together(
            acme,
            client -> {
              String mine;
              synchronized (left) {
                mine = left.remove(0);
              }
              return client.post("/v1/jobs/" + mine + "/retry");
            });

    assertThat(statuses(answers)).isEqualTo(Map.of(200, 10L, 429, 40L));
    assertThat(percent(acme, "activeJobs")).isEqualTo(100.0);
  }

  @Test
  void aKeyThatAJobHasAlreadyNeedsNoRoom() {
    Api acme = Work.tenant(installation.api(), "unique", "activeJobs", 1);
    String id = Work.create(acme, Work.later("uniqueKey", "k"));

    Api.Answer again = acme.post("/v1/jobs", Work.later("uniqueKey", "k"));

    assertThat(Work.expect(200, again).text("id")).isEqualTo(id);
    assertThat(again.body().path("new").asBoolean(true)).isFalse();
  }

  @Test
  void fiftyFirstCallsWithOneKeyMakeOneJob() throws Exception {
    Api acme = Work.tenant(installation.api(), "once");

    List<Api.Answer> answers =
        together(
            acme.with("Idempotency-Key", "the-one"),
            client -> client.post("/v1/jobs", Work.later()));

    assertThat(statuses(answers)).isEqualTo(Map.of(201, 50L));
    assertThat(answers.stream().map(Api.Answer::body).distinct()).hasSize(1);
    assertThat(jobsOf("once")).isEqualTo(1);
  }

  @Test
  void limitsAreChangedLive() {
    Api acme = Work.tenant(installation.api(), "live", "activeJobs", 1);
    Work.create(acme, Work.later());
    Work.expect(429, acme.post("/v1/jobs", Work.later()));

    patch("live", Api.json("quotas", Api.json("activeJobs", "unlimited")));
    for (int i = 0; i < 20; i++) {
      Work.create(acme.at(installation.port(i % 3)), Work.later());
    }
    patch("live", "{\"quotas\":{\"activeJobs\":null}}");

    Api.Answer refused = Work.expect(429, acme.post("/v1/jobs", Work.later()));
    assertThat(refused.body().path("limit").asInt()).as("the default").isEqualTo(10);
    assertThat(refused.body().path("used").asInt()).isEqualTo(21);
  }

  private void patch(String tenant, Object body) {
    Work.expect(
        200, installation.api().with("If-Match", "*").call("PATCH", "/v1/tenants/" + tenant, body));
  }

  @Test
  void theOldestOnRecordAreForgottenOrNewOnesRefused() {
    Api acme = Work.tenant(installation.api(), "kept", "retainedJobs", 3);
    String waiting = Work.create(acme, Work.later());
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      String id = Work.create(acme, Work.http(receiver.url("/kept")));
      Work.await(acme, id, "SUCCEEDED");
      ids.add(id);
    }
    Eventually.until(() -> jobsOf("kept") + " on record", () -> jobsOf("kept") == 3);
    assertThat(acme.get("/v1/jobs/" + ids.get(0)).status()).isEqualTo(404);
    assertThat(acme.get("/v1/jobs/" + ids.get(4)).status()).isEqualTo(200);
    assertThat(acme.get("/v1/jobs/" + waiting).text("state")).isEqualTo("SCHEDULED");

    patch("kept", Api.json("retainedPolicy", "REFUSE"));

    Api.Answer refused = Work.expect(429, acme.post("/v1/jobs", Work.later()));
    assertThat(refused.text("quota")).isEqualTo("retainedJobs");
    assertThat(jobsOf("kept")).isEqualTo(3);
  }

  /** Each replica is idle after its last job, which must not stay on record because of that. */
  @Test
  void theNewestJobsAreForgottenTooWhereNoneMayBeKept() {
    Api acme = Work.tenant(installation.api(), "none", "retainedJobs", 0);
    for (int i = 0; i < 5; i++) {
      Work.create(acme, Work.http(receiver.url("/none")));
    }
    Eventually.until(() -> jobsOf("none") + " on record", () -> jobsOf("none") == 0);
    assertThat(receiver.calls()).filteredOn(call -> call.path().equals("/none")).hasSize(5);
  }

  @Test
  void queuesAreNotMadeUpWithoutEnd() {
    Api acme = Work.tenant(installation.api(), "queues");
    for (String queue : List.of("a", "b", "c")) {
      Work.create(acme, Work.later("queue", queue));
    }

    Api.Answer refused = acme.post("/v1/jobs", Work.later("queue", "d"));

    assertThat(Work.expect(400, refused).text("field")).isEqualTo("queue");
    Work.create(acme, Work.later("queue", "a"));
  }

  @Test
  void aFullQueueTakesNoMore() {
    Api acme = Work.tenant(installation.api(), "depth", "activeJobs", "unlimited");
    List<Object> jobs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      jobs.add(Work.later("queue", "narrow"));
    }
    Work.expect(201, acme.post("/v1/jobs/batch", Api.json("jobs", jobs)));

    Api.Answer refused = Work.expect(429, acme.post("/v1/jobs", Work.later("queue", "narrow")));

    assertThat(refused.text("type")).endsWith("queue-full");
    assertThat(refused.header("Retry-After")).isNotEmpty();
    assertThat(jobsOf("depth")).isEqualTo(300);
  }
}
