package dev.monotick.server.job.act;

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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Jobs over REST: what can be done to them, through either of two replicas. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class JobActionsTest {

  private final Receiver receiver = new Receiver();
  private final CountDownLatch released = new CountDownLatch(1);
  private final Installation installation =
      Installation.create().with("monotick.quota.active-jobs", "unlimited");

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
    receiver.answers(
        call -> {
          if (call.path().equals("/slow")) {
            awaitRelease();
          }
          return call.path().startsWith("/bad") ? 400 : 200;
        });
  }

  private void awaitRelease() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterAll
  void stop() {
    released.countDown();
    installation.close();
    receiver.close();
  }

  private Api tenant(String name) {
    return Work.tenant(installation.api(), name);
  }

  private static List<String> ids(Api.Answer page) {
    List<String> ids = new ArrayList<>();
    Work.expect(200, page)
        .body()
        .path("items")
        .forEach(each -> ids.add(each.path("id").asString()));
    return ids;
  }

  private static List<String> made(Api.Answer batch) {
    List<String> ids = new ArrayList<>();
    Work.expect(201, batch)
        .body()
        .path("jobs")
        .forEach(each -> ids.add(each.path("id").asString()));
    return ids;
  }

  private List<String> audited(String tenant) {
    return installation
        .bean(0, Sql.class)
        .of("select action from @audit_event where tenant = :tenant order by seq")
        .param("tenant", tenant)
        .query((row, number) -> row.getString(1))
        .list();
  }

  @Test
  void aJobIsCancelledAndRunAgain() {
    Api acme = tenant("acts");
    String id = Work.create(acme, Work.http(receiver.url("/acts"), "delay", "PT1H"));
    Api.Answer before = acme.get("/v1/jobs/" + id);

    Api.Answer cancelled =
        acme.with("If-Match", before.header("ETag"))
            .post("/v1/jobs/" + id + "/cancel", Api.json("reason", "not now"));
    Api.Answer again = acme.post("/v1/jobs/" + id + "/cancel", Api.json("reason", "not now"));
    Api.Answer stale =
        acme.with("If-Match", before.header("ETag")).post("/v1/jobs/" + id + "/retry");

    assertThat(Work.expect(200, cancelled).text("state")).isEqualTo("CANCELLED");
    assertThat(Work.expect(409, again).text("state")).isEqualTo("CANCELLED");
    Work.expect(412, stale);
    assertThat(acme.get("/v1/jobs/" + id + "/why").text("sentence")).contains("not now");
    Work.expect(200, acme.post("/v1/jobs/" + id + "/retry"));
    Work.await(acme, id, "SUCCEEDED");
    Work.expect(409, acme.post("/v1/jobs/" + id + "/retry"));
    assertThat(audited("acts")).containsSubsequence("job_created", "job_cancelled", "job_retry");
    assertThat(audited("acts").stream().filter("job_cancelled"::equals)).hasSize(1);
  }

  @Test
  void aRunningJobIsCalledOffFromAnyReplicaForGood() {
    Api acme = tenant("running");
    String id = Work.create(acme, Work.http(receiver.url("/slow")));
    Work.await(acme, id, "RUNNING");
    int other =
        acme.get("/v1/jobs/" + id).body().path("running").path("replica").asString().endsWith("1")
            ? 1
            : 0;

    Work.expect(200, acme.at(installation.port(other)).post("/v1/jobs/" + id + "/cancel"));
    released.countDown();

    Eventually.until(
        "the replica is free of it",
        () ->
            installation
                    .bean(0, Sql.class)
                    .of("select count(*) from @@job_claim where ids @> array[:id]::bigint[]")
                    .param("id", Long.valueOf(id))
                    .query(Long.class)
                    .single()
                == 0);
    assertThat(acme.get("/v1/jobs/" + id).text("state")).isEqualTo("CANCELLED");
    assertThat(acme.get("/v1/usage").body().path("quotas").path(0).path("used").asInt()).isZero();
  }

  @Test
  void anActIsDoneOnceForAKey() {
    Api acme = tenant("oneact");
    String id = Work.create(acme, Work.later());
    Api keyed = acme.with("Idempotency-Key", "c1");

    Api.Answer first = keyed.post("/v1/jobs/" + id + "/cancel", Api.json("reason", "x"));
    Api.Answer second = keyed.post("/v1/jobs/" + id + "/cancel", Api.json("reason", "x"));

    assertThat(Work.expect(200, second).body()).isEqualTo(first.body());
    Work.expect(409, keyed.post("/v1/jobs/" + id + "/cancel", Api.json("reason", "y")));
  }

  @Test
  void aJobIsGivenAnotherTime() {
    Api acme = tenant("moved");
    String id = Work.create(acme, Work.http(receiver.url("/moved"), "at", "2100-01-01T00:00:00Z"));
    assertThat(acme.get("/v1/jobs/" + id + "/why").text("because")).isEqualTo("TIME");

    Work.expect(
        200, acme.post("/v1/jobs/" + id + "/reschedule", Api.json("at", "2024-01-01T00:00:00Z")));

    Work.await(acme, id, "SUCCEEDED");
    Work.expect(
        409, acme.post("/v1/jobs/" + id + "/reschedule", Api.json("at", "2024-01-01T00:00:00Z")));
  }

  @Test
  void somebodyElseMustApprove() {
    Api owner = tenant("gate");
    Api other = Work.key(owner, "OPERATOR");
    Api viewer = Work.key(owner, "VIEWER");
    Map<String, Object> gated =
        Work.http(receiver.url("/gate"), "approval", Api.json("within", "PT1H"));
    String id = Work.create(owner, gated);
    assertThat(owner.get("/v1/jobs/" + id).text("state")).isEqualTo("AWAITING_APPROVAL");
    Api.Answer why = owner.get("/v1/jobs/" + id + "/why");
    assertThat(why.text("because")).isEqualTo("APPROVAL");
    assertThat(why.body().path("facts").path("expiresAt").asString()).isNotEmpty();

    Work.expect(403, owner.post("/v1/jobs/" + id + "/approve"));
    Work.expect(403, viewer.post("/v1/jobs/" + id + "/approve"));
    Work.expect(200, other.post("/v1/jobs/" + id + "/approve", Api.json("note", "fine")));

    Work.await(owner, id, "SUCCEEDED");
    Work.expect(409, other.post("/v1/jobs/" + id + "/approve"));
    assertThat(owner.get("/v1/jobs/" + id + "/log").raw().body()).contains("approved by");
  }

  @Test
  void severalMustApproveEachForHimself() {
    Api owner = tenant("several");
    Api first = Work.key(owner, "OPERATOR");
    Api second = Work.key(owner, "OPERATOR");
    String id =
        Work.create(
            owner,
            Work.http(
                receiver.url("/several"), "approval", Api.json("within", "PT1H", "approvals", 2)));
    String approve = "/v1/jobs/" + id + "/approve";

    assertThat(Work.expect(200, first.post(approve)).text("state")).isEqualTo("AWAITING_APPROVAL");
    Work.expect(409, first.post(approve));
    Work.expect(403, owner.post(approve));
    assertThat(owner.get("/v1/jobs/" + id + "/why").text("sentence")).contains("1 of 2");
    Work.expect(200, owner.post("/v1/jobs/" + id + "/reject"));
    Work.expect(200, owner.post("/v1/jobs/" + id + "/retry"));
    Work.expect(200, second.post(approve));
    assertThat(owner.get("/v1/jobs/" + id).text("state"))
        .as("what was approved before does not count")
        .isEqualTo("AWAITING_APPROVAL");
    Work.expect(200, first.post(approve));

    Work.await(owner, id, "SUCCEEDED");
  }

  @Test
  void aRetryNeverSkipsTheGate() {
    Api owner = tenant("regate");
    String id =
        Work.create(
            owner, Work.http(receiver.url("/regate"), "approval", Api.json("within", "PT1H")));
    Work.expect(200, owner.post("/v1/jobs/" + id + "/reject", Api.json("note", "no")));
    assertThat(owner.get("/v1/jobs/" + id).text("state")).isEqualTo("REJECTED");

    Work.expect(200, owner.post("/v1/jobs/" + id + "/retry"));

    assertThat(owner.get("/v1/jobs/" + id).text("state")).isEqualTo("AWAITING_APPROVAL");
    Work.expect(403, owner.post("/v1/jobs/" + id + "/approve"));
    assertThat(receiver.calls()).noneMatch(call -> call.path().equals("/regate"));
  }

  @Test
  void anApprovalNobodyGivesExpires() {
    Api owner = tenant("late");
    String id =
        Work.create(
            owner, Work.http(receiver.url("/late"), "approval", Api.json("within", "PT1S")));

    Work.await(owner, id, "EXPIRED");

    Work.expect(409, Work.key(owner, "ADMIN").post("/v1/jobs/" + id + "/approve"));
    assertThat(receiver.calls()).noneMatch(call -> call.path().equals("/late"));
  }

  @Test
  void deadLettersAreRequeuedAndPurged() {
    Api acme = tenant("dead");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(Work.create(acme, Work.http(receiver.url("/bad" + i))));
    }
    ids.forEach(id -> Work.await(acme, id, "DEAD"));
    assertThat(ids(acme.get("/v1/dead-letters"))).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(acme.get("/v1/statistics").body().path("total").path("dead").asInt()).isEqualTo(3);

    Work.expect(400, acme.post("/v1/dead-letters/requeue", Api.json()));
    Api.Answer requeued =
        acme.post("/v1/dead-letters/requeue", Api.json("ids", List.of(ids.get(0), "99")));
    assertThat(Work.expect(200, requeued).body().path("done").asInt()).isEqualTo(1);
    assertThat(requeued.body().path("left").asInt()).isEqualTo(1);
    Eventually.until(
        "it was tried again",
        () -> acme.get("/v1/jobs/" + ids.get(0)).body().path("attempts").size() >= 3);
    Work.await(acme, ids.get(0), "DEAD");
    Api.Answer purged =
        acme.post("/v1/dead-letters/purge", Api.json("filter", Api.json("kind", "http")));

    assertThat(Work.expect(200, purged).body().path("done").asInt()).isEqualTo(3);
    assertThat(ids(acme.get("/v1/dead-letters"))).isEmpty();
    Work.expect(404, acme.get("/v1/jobs/" + ids.get(1)));
  }

  @Test
  void manyAreDecidedAboutAtOnce() {
    Api acme = tenant("bulk");
    List<Object> jobs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      jobs.add(Work.later("queue", i < 4 ? "x" : "y"));
    }
    made(acme.post("/v1/jobs/batch", Api.json("jobs", jobs)));

    for (Object empty :
        List.of(Api.json("action", "cancel"), Api.json("action", "cancel", "filter", Api.json()))) {
      assertThat(Work.expect(400, acme.post("/v1/jobs/bulk", empty)).text("field"))
          .isEqualTo("filter");
    }
    Api.Answer some =
        acme.post(
            "/v1/jobs/bulk",
            Api.json("action", "cancel", "filter", Api.json("queue", "x"), "limit", 3));
    Api.Answer rest =
        acme.post("/v1/jobs/bulk", Api.json("action", "cancel", "filter", Api.json("queue", "x")));
    Api.Answer retried =
        acme.post(
            "/v1/jobs/bulk", Api.json("action", "retry", "filter", Api.json("state", "CANCELLED")));

    assertThat(Work.expect(200, some).body().path("done").asInt()).isEqualTo(3);
    assertThat(some.body().path("more").asBoolean()).isTrue();
    assertThat(Work.expect(200, rest).body().path("done").asInt()).isEqualTo(1);
    assertThat(Work.expect(200, retried).body().path("done").asInt()).isEqualTo(4);
    assertThat(audited("bulk")).contains("jobs_bulk_asked", "jobs_bulk_done");
  }
}
