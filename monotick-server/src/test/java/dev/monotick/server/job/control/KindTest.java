package dev.monotick.server.job.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** Limits and pauses of kinds, set at one replica and kept by two. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class KindTest {

  private static final int MANY = 12;

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create()
          .with("monotick.quota.active-jobs", "unlimited")
          .with("monotick.public.url", "http://127.0.0.1:9");
  private final Map<String, AtomicInteger> now = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> most = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
  private final CountDownLatch held = new CountDownLatch(1);
  private Api first = new Api(0, null);
  private Api second = new Api(0, null);

  @BeforeAll
  void start() {
    first = installation.start();
    second = installation.start();
    receiver.answers(this::answer);
  }

  private int answer(Receiver.Call call) {
    if (call.path().startsWith("/counted")) {
      AtomicInteger running = now.computeIfAbsent(call.path(), path -> new AtomicInteger());
      int many = running.incrementAndGet();
      most.computeIfAbsent(call.path(), path -> new AtomicInteger())
          .accumulateAndGet(many, Math::max);
      LockSupport.parkNanos(300_000_000);
      running.decrementAndGet();
    } else if (call.path().equals("/rated")) {
      times.add(System.nanoTime());
    } else if (call.path().equals("/held")) {
      try {
        held.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return call.path().equals("/later") ? 202 : 200;
  }

  @AfterAll
  void stop() {
    held.countDown();
    installation.close();
    receiver.close();
  }

  private List<String> create(int many, String path, Object... more) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      ids.add(Work.create(i % 2 == 0 ? first : second, Work.http(receiver.url(path), more)));
    }
    return ids;
  }

  private void awaitAll(List<String> ids) {
    ids.forEach(id -> Work.await(first, id, "SUCCEEDED"));
  }

  private static Api.Answer limit(Api api, String scope, Object... body) {
    return api.call("PUT", "/v1/limits?" + scope, Api.json(body));
  }

  private void unlimit(String scope) {
    Work.expect(204, first.with("If-Match", "*").call("DELETE", "/v1/limits?" + scope, null));
  }

  private JsonNode why(String id) {
    return second.get("/v1/jobs/" + id + "/why").body();
  }

  private String because(String id) {
    return why(id).path("because").asString("");
  }

  private int mostOf(String path) {
    return most.getOrDefault(path, new AtomicInteger()).get();
  }

  @Test
  void aLimitOfTwoLetsTwoRunOnTwoReplicas() {
    Work.expect(201, limit(first, "kind=http", "running", 2, "note", "a weak target"));
    try {
      List<String> ids = create(MANY, "/counted");
      Eventually.until(
          () -> "the last says why: " + why(ids.get(MANY - 1)),
          () -> because(ids.get(MANY - 1)).equals("LIMIT"));
      JsonNode kind = second.get("/v1/kinds/http").body();

      assertThat(kind.at("/limits/0/running").asInt()).isEqualTo(2);
      assertThat(kind.at("/limits/0/note").asString()).isEqualTo("a weak target");
      assertThat(kind.at("/limits/0/changedBy").asString()).isEqualTo("admin");
      assertThat(kind.path("counts").path("ready").asInt()).isPositive();
      awaitAll(ids);
      assertThat(mostOf("/counted")).isEqualTo(2);
    } finally {
      unlimit("kind=http");
    }
    List<String> free = create(MANY, "/counted-free");
    awaitAll(free);
    assertThat(mostOf("/counted-free")).isGreaterThan(2);
  }

  /** Twenty jobs by five a second: five at once, and three seconds for the others. */
  @Test
  void aRateIsKeptByTwoReplicas() {
    Work.expect(201, limit(first, "kind=http", "rate", Api.json("count", 5, "period", "PT1S")));
    try {
      List<String> ids = create(20, "/rated");
      Eventually.until(
          () -> "the last says why: " + why(ids.get(19)),
          () -> {
            JsonNode why = why(ids.get(19));
            return why.path("because").asString().equals("LIMIT")
                && why.path("sentence").asString().contains("5 in PT1S");
          });
      awaitAll(ids);

      List<Long> begun = times.stream().sorted().toList();
      assertThat(begun).hasSize(20);
      assertThat(Duration.ofNanos(begun.get(19) - begun.get(0)))
          .isBetween(Duration.ofMillis(2_600), Duration.ofSeconds(10));
    } finally {
      unlimit("kind=http");
    }
  }

  @Test
  void eachKeyAndEachTenantCanHaveALimitOfItsOwn() {
    Api acme = Work.tenant(first, "kind-acme", "activeJobs", "unlimited");
    Work.expect(201, limit(first, "kind=http&perKey=true", "running", 1));
    Work.expect(201, limit(first, "tenant=kind-acme", "running", 1));
    try {
      List<String> a = create(4, "/counted-a", "limitKey", "a");
      List<String> b = create(4, "/counted-b", "limitKey", "b");
      List<String> other = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        other.add(Work.create(acme, Work.http(receiver.url("/counted-acme"))));
      }
      awaitAll(a);
      awaitAll(b);
      other.forEach(id -> Work.await(acme, id, "SUCCEEDED"));

      assertThat(mostOf("/counted-a")).isEqualTo(1);
      assertThat(mostOf("/counted-b")).isEqualTo(1);
      assertThat(mostOf("/counted-acme")).isEqualTo(1);
      assertThat(acme.get("/v1/limits").body().path("items")).hasSize(2);
      Api other2 = Work.tenant(first, "kind-other");
      assertThat(other2.get("/v1/limits").raw().body()).doesNotContain("kind-acme");
    } finally {
      unlimit("kind=http&perKey=true");
      unlimit("tenant=kind-acme");
    }
  }

  @Test
  void aPausedKindWaitsAndGoesOn() {
    Api.Answer paused = second.post("/v1/kinds/http/pause", Api.json("note", "they move house"));
    Work.expect(204, paused);
    String id = Work.create(first, Work.http(receiver.url("/paused")));

    JsonNode why = why(id);
    assertThat(why.path("because").asString()).isEqualTo("PAUSED");
    assertThat(why.path("sentence").asString())
        .contains("kind http is paused")
        .contains("by admin")
        .contains("they move house");
    JsonNode kind = first.get("/v1/kinds/http").body();
    assertThat(kind.at("/paused/by").asString()).isEqualTo("admin");
    assertThat(kind.at("/paused/note").asString()).isEqualTo("they move house");
    Work.expect(204, first.post("/v1/kinds/http/resume"));
    Work.await(first, id, "SUCCEEDED");
    assertThat(first.get("/v1/kinds/http").body().path("paused").isNull()).isTrue();
    assertThat(first.get("/v1/audit?scope=installation&limit=500").raw().body())
        .contains("kind_paused", "kind_resumed", "kind/http");
  }

  @Test
  void aPausedQueueSaysWhoPausedItAndWhy() {
    Work.expect(204, first.post("/v1/queues/slow/pause", Api.json("note", "too slow")));
    String id = Work.create(first, Work.http(receiver.url("/slow"), "queue", "slow"));

    assertThat(why(id).path("sentence").asString())
        .contains("queue slow is paused")
        .contains("too slow");

    Work.expect(204, second.post("/v1/queues/slow/resume"));
    Work.await(first, id, "SUCCEEDED");
  }

  @Test
  void aLimitIsChangedByWhoHasSeenIt() {
    Api.Answer made = Work.expect(201, limit(first, "kind=command", "running", 3));
    String tag = made.header("ETag");

    Work.expect(428, limit(first, "kind=command", "running", 4));
    Work.expect(412, limit(first.with("If-Match", "\"99\""), "kind=command", "running", 4));
    Api.Answer changed =
        Work.expect(200, limit(second.with("If-Match", tag), "kind=command", "running", 4));
    assertThat(changed.header("ETag")).isNotEqualTo(tag);
    assertThat(changed.body().path("running").asInt()).isEqualTo(4);
    Work.expect(412, first.with("If-Match", tag).call("DELETE", "/v1/limits?kind=command", null));
    unlimit("kind=command");
    Work.expect(404, first.with("If-Match", "*").call("DELETE", "/v1/limits?kind=command", null));
    assertThat(first.get("/v1/audit?scope=installation&limit=500").raw().body())
        .contains("limit_set", "limit_removed", "limit/kind=command");
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    SoftAssertions softly = new SoftAssertions();
    Object rate = Api.json("count", 1, "period", "PT1S");
    refused(softly, "", "kind", "running", 1);
    refused(softly, "kind=http", "running");
    refused(softly, "kind=http", "running", "running", 0);
    refused(softly, "kind=http", "running", "running", -1);
    refused(softly, "kind=http", "running", "running", 2_000_000);
    refused(softly, "kind=no-such-kind", "kind", "running", 1);
    refused(softly, "kind=a%20b", "kind", "running", 1);
    refused(softly, "kind=http&tenant=nobody", "tenant", "running", 1);
    refused(softly, "tenant=*&perKey=true", "perKey", "running", 1);
    refused(softly, "kind=http&perKey=true", "rate", "running", 1, "rate", rate);
    refused(softly, "kind=http", "rate.count", "rate", Api.json("count", 0, "period", "PT1S"));
    refused(softly, "kind=http", "rate.count", "rate", Api.json("period", "PT1S"));
    refused(softly, "kind=http", "rate.period", "rate", Api.json("count", 1));
    refused(softly, "kind=http", "rate.period", "rate", Api.json("count", 1, "period", "PT0S"));
    refused(softly, "kind=http", "rate.period", "rate", Api.json("count", 1, "period", "soon"));
    refused(softly, "kind=http", "note", "running", 1, "note", "x".repeat(10_000));
    softly
        .assertThat(first.call("PUT", "/v1/limits?kind=http", "{\"runing\": 1}").status())
        .isEqualTo(400);
    softly.assertThat(first.post("/v1/kinds/no-such-kind/pause").text("field")).isEqualTo("name");
    softly.assertThat(first.get("/v1/kinds/no-such-kind").status()).isEqualTo(404);
    Api tenant = Work.tenant(first, "kind-refused");
    softly.assertThat(limit(tenant, "kind=http", "running", 1).status()).isEqualTo(403);
    softly.assertThat(tenant.post("/v1/kinds/http/pause").status()).isEqualTo(403);
    softly.assertThat(first.get("/v1/limits").raw().body()).doesNotContain("no-such-kind");
    softly.assertAll();
  }

  private void refused(SoftAssertions softly, String scope, String field, Object... body) {
    Api.Answer answer = limit(first, scope, body);
    softly.assertThat(answer.status()).as("%s %s", scope, List.of(body)).isEqualTo(400);
    softly.assertThat(answer.text("field")).as("%s %s", scope, List.of(body)).isEqualTo(field);
  }

  @Test
  void workElsewhereIsShownWithTheJobAndAsTheReason() {
    Object payload = Api.json("command", "echo", "agent", "far-away");
    String id = Work.create(first, Api.json("kind", "agent", "payload", payload));
    Eventually.until(
        () -> "it wants an agent: " + why(id), () -> because(id).equals("AGENT_WANTED"));
    assertThat(why(id).path("sentence").asString()).startsWith("waiting for agent far-away");
    Api agent = Work.key(first, "AGENT");
    Work.expect(200, agent.post("/v1/agents/register", Api.json("name", "far-away")));
    Eventually.until(
        "the agent gets it",
        () ->
            !agent
                .post("/v1/agents/far-away/poll", Api.json("max", 1, "waitSeconds", 1))
                .body()
                .path("leases")
                .isEmpty());

    JsonNode leased = why(id);
    JsonNode detail = first.get("/v1/jobs/" + id).body().path("remoteWork");

    assertThat(leased.path("because").asString()).isEqualTo("AGENT");
    assertThat(leased.path("sentence").asString()).startsWith("agent far-away has it until 2");
    assertThat(detail.path("state").asString()).isEqualTo("LEASED");
    assertThat(detail.path("agent").asString()).isEqualTo("far-away");
    Work.expect(200, first.post("/v1/jobs/" + id + "/cancel"));
  }

  @Test
  void soIsACallThatWillBeAnsweredLater() {
    Object payload = Api.json("url", receiver.url("/later"), "callback", true);
    String id = Work.create(first, Api.json("kind", "http", "payload", payload));
    Eventually.until(() -> "it waits for a call: " + why(id), () -> because(id).equals("CALLBACK"));

    JsonNode detail = first.get("/v1/jobs/" + id).body().path("remoteWork");

    assertThat(detail.path("kind").asString()).isEqualTo("CALLBACK");
    assertThat(why(id).path("sentence").asString())
        .contains("call back, until " + detail.path("dueAt").asString());
    Work.expect(200, first.post("/v1/jobs/" + id + "/cancel"));
  }
}
