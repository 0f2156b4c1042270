package dev.monotick.server.job.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobLimit;
import dev.monotick.job.Jobs;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestReporter;

/** Why jobs wait, and how tenants share a replica that runs few at a time. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class JobExplanationTest {

  private static final int SLOTS = 4;
  private static final int FLOOD = 2_000;
  private static final int MILLIS = 20;

  private final Receiver receiver = new Receiver();
  private final CountDownLatch held = new CountDownLatch(1);
  private final Installation installation =
      Installation.create().with("monotick.worker.concurrency", String.valueOf(SLOTS));

  @BeforeAll
  void start() {
    installation.start();
    receiver.answers(
        call -> {
          if (call.path().equals("/held")) {
            awaitRelease();
          } else if (call.path().equals("/flood")) {
            java.util.concurrent.locks.LockSupport.parkNanos(MILLIS * 1_000_000L);
          }
          return call.path().equals("/broken") ? 500 : 200;
        });
  }

  private void awaitRelease() {
    try {
      held.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterAll
  void stop() {
    held.countDown();
    installation.close();
    receiver.close();
  }

  @Test
  void whatRunsSaysWhereAndWhatWaitsForALimitSaysSo() {
    Api acme = Work.tenant(installation.api(), "limited");
    installation
        .bean(0, Jobs.class)
        .limit(
            new JobLimit(
                new JobLimit.Scope("http", "limited", false), Optional.of(1), Optional.empty()));
    String runs = Work.create(acme, Work.http(receiver.url("/held")));
    Work.await(acme, runs, "RUNNING");
    String waits = Work.create(acme, Work.http(receiver.url("/held")));
    String behind = Work.create(acme, Work.http(receiver.url("/held")));

    assertThat(acme.get("/v1/jobs/" + runs + "/why").text("sentence"))
        .startsWith("running on replica-1 since ");
    Api.Answer why = acme.get("/v1/jobs/" + behind + "/why");
    assertThat(why.text("because")).isEqualTo("LIMIT");
    assertThat(why.text("sentence")).contains("1 of 1 run already").contains("1 ahead of it");
    held.countDown();
    Work.await(acme, waits, "SUCCEEDED");
    Work.await(acme, behind, "SUCCEEDED");
  }

  @Test
  void whatFailedSaysWhenItIsTriedAgain() {
    Api acme = Work.tenant(installation.api(), "retrying");
    String id = Work.create(acme, Work.http(receiver.url("/broken")));
    Work.await(acme, id, "RETRYING");

    Api.Answer why = acme.get("/v1/jobs/" + id + "/why");

    assertThat(why.text("because")).isEqualTo("RETRY");
    assertThat(why.body().path("facts").path("lastError").asString()).contains("500");
    Work.expect(200, acme.post("/v1/jobs/" + id + "/cancel"));
  }

  /**
   * The flood takes 2,000 x 20 ms / 4 slots = 10 s at best. The other tenant's job waits at most
   * for what is claimed already: 4 that run and some that were fetched ahead, a few hundred
   * milliseconds; two seconds leave room for a busy machine, and are far from the end of the flood.
   */
  @Test
  void aFloodOfOneTenantDoesNotDelayAnother(TestReporter reporter) {
    Api flooding = Work.tenant(installation.api(), "flood", "activeJobs", "unlimited");
    Api calm = Work.tenant(installation.api(), "calm");
    List<Object> jobs = new ArrayList<>();
    for (int i = 0; i < FLOOD / 2; i++) {
      jobs.add(Work.http(receiver.url("/flood")));
    }
    Work.expect(201, flooding.post("/v1/jobs/batch", Api.json("jobs", jobs)));
    Work.expect(201, flooding.post("/v1/jobs/batch", Api.json("jobs", jobs)));
    Eventually.until(
        "the flood has begun",
        () -> receiver.calls().stream().anyMatch(call -> call.path().equals("/flood")));

    long begun = System.nanoTime();
    String id = Work.create(calm, Work.http(receiver.url("/calm")));
    Work.await(calm, id, "SUCCEEDED");
    long millis = (System.nanoTime() - begun) / 1_000_000;
    long ready = flooding.get("/v1/statistics").body().path("total").path("ready").asLong();

    reporter.publishEntry("behind " + ready + " jobs of another tenant", millis + " ms");
    assertThat(millis)
        .as("took %d ms, with %d jobs of the other tenant still waiting", millis, ready)
        .isLessThan(2_000);
    assertThat(ready).as("still waiting after %d ms", millis).isPositive();
    for (int left = FLOOD; left > 0; ) {
      left =
          Work.expect(
                  200,
                  flooding.post(
                      "/v1/jobs/bulk",
                      Api.json(
                          "action", "cancel", "filter", Api.json("state", "READY"), "limit", 500)))
              .body()
              .path("matched")
              .asInt();
    }
  }
}
