package dev.monotick.server.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** How many jobs tenants may make in an hour, on three replicas. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class JobsPerHourTest {

  private static final int CLIENTS = 60;

  private final Installation installation =
      Installation.create()
          .with("monotick.quota.active-jobs", "unlimited")
          .with("monotick.quota.jobs-per-hour", "7");

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private Duration left() {
    return installation.bean(0, JobsPerHour.class).left();
  }

  @BeforeEach
  void beginWhenTheHourLastsLongEnough() {
    Eventually.until("the hour is young", () -> left().compareTo(Duration.ofSeconds(20)) > 0);
  }

  private static JsonNode usage(Api api) {
    for (JsonNode each : api.get("/v1/usage").body().path("quotas")) {
      if (each.path("quota").asString().equals("jobsPerHour")) {
        return each;
      }
    }
    throw new AssertionError("no jobsPerHour");
  }

  @Test
  void manyClientsOnThreeReplicasMakeAsManyAsTheyMayAndNoneMore() throws Exception {
    Api acme = Work.tenant(installation.api(), "race", "jobsPerHour", 20);
    Object three = Api.json("jobs", List.of(Work.later(), Work.later(), Work.later()));
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<Api.Answer> answers = new ArrayList<>();
    try {
      CountDownLatch ready = new CountDownLatch(CLIENTS);
      List<Future<Api.Answer>> asked = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Api client = acme.at(installation.port(i % 3));
        asked.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return client.post("/v1/jobs/batch", three);
                }));
      }
      for (Future<Api.Answer> each : asked) {
        answers.add(each.get());
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(answers).filteredOn(each -> each.status() == 201).hasSize(6);
    assertThat(answers)
        .filteredOn(each -> each.status() != 201)
        .hasSize(54)
        .allSatisfy(
            each -> {
              assertThat(each.status()).isEqualTo(429);
              assertThat(each.text("quota")).isEqualTo("jobsPerHour");
              assertThat(each.body().path("limit").asInt()).isEqualTo(20);
              assertThat(each.body().path("used").asInt()).isEqualTo(18);
            });
    assertThat(usage(acme).path("used").asInt()).isEqualTo(18);
    assertThat(usage(acme).path("percent").asDouble()).isEqualTo(90.0);
  }

  @Test
  void whatEndedStillCountsAndTheHourItselfMakesRoom() {
    Api acme = Work.tenant(installation.api(), "hour", "jobsPerHour", 2);
    for (int i = 0; i < 2; i++) {
      String id = Work.create(acme, Work.later());
      Work.expect(200, acme.post("/v1/jobs/" + id + "/cancel"));
    }
    long before = left().toSeconds();
    Api.Answer refused = Work.expect(429, acme.post("/v1/jobs", Work.later()));
    assertThat(Long.parseLong(refused.header("Retry-After")))
        .as("until the full hour")
        .isBetween(left().toSeconds(), before + 1);
    assertThat(usage(acme).path("percent").asDouble()).isEqualTo(100.0);

    Sql sql = installation.bean(0, Sql.class);
    sql.of("update @job_creation set hour = hour - interval '1 hour' where tenant = 'hour'")
        .update();

    assertThat(usage(acme).path("used").asInt()).isZero();
    Work.create(acme, Work.later());
    assertThat(usage(acme).path("used").asInt()).isEqualTo(1);
  }

  @Test
  void itIsChangedLiveAndCountsWhatSchedulesMake() {
    Api acme = Work.tenant(installation.api(), "live");
    assertThat(usage(acme).path("limit").asInt()).as("the setting").isEqualTo(7);
    String schedule =
        Work.expect(
                201,
                acme.post(
                    "/v1/schedules",
                    Api.json(
                        "name",
                        "yearly",
                        "cron",
                        "0 0 1 1 *",
                        "job",
                        Work.http("http://127.0.0.1:9/never"))))
            .text("id");
    for (int i = 0; i < 7; i++) {
      Work.expect(201, acme.post("/v1/schedules/" + schedule + "/trigger"));
    }
    assertThat(usage(acme).path("used").asInt()).isEqualTo(7);
    Api.Answer refused = Work.expect(429, acme.post("/v1/schedules/" + schedule + "/trigger"));
    assertThat(refused.text("quota")).isEqualTo("jobsPerHour");

    limit("live", 20);

    Work.create(acme.at(installation.port(2)), Work.later());
    assertThat(usage(acme).path("limit").asInt()).isEqualTo(20);
    assertThat(usage(acme).path("used").asInt()).isEqualTo(8);
    assertThat(Work.create(acme, Work.later("uniqueKey", "one")))
        .isEqualTo(
            Work.expect(200, acme.post("/v1/jobs", Work.later("uniqueKey", "one"))).text("id"));
    assertThat(usage(acme).path("used").asInt()).as("the second was the first").isEqualTo(9);

    limit("live", "unlimited");

    Work.create(acme, Work.later());
    assertThat(usage(acme).path("limit").asString()).isEqualTo("unlimited");
    assertThat(usage(acme).path("used").asInt()).as("nobody counts any more").isEqualTo(9);
  }

  private void limit(String tenant, Object perHour) {
    Work.expect(
        200,
        installation
            .api()
            .with("If-Match", "*")
            .call(
                "PATCH",
                "/v1/tenants/" + tenant,
                Api.json("quotas", Api.json("jobsPerHour", perHour))));
  }
}
