package dev.monotick.server.job.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** Jobs over REST: what can be asked for, and what can be seen. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class JobTest {

  private final Receiver receiver = new Receiver();
  private final Installation installation =
      Installation.create().with("monotick.quota.active-jobs", "unlimited");

  @BeforeAll
  void start() {
    installation.start();
    receiver.answers(call -> call.path().startsWith("/bad") ? 400 : 200);
  }

  @AfterAll
  void stop() {
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

  @Test
  void allThatWasGivenIsShown() {
    Api acme = tenant("shown");
    String parent = Work.create(acme, Work.later());
    String id =
        Work.create(
            acme,
            Work.http(
                receiver.url("/shown"),
                "queue",
                "slow",
                "priority",
                2,
                "maxAttempts",
                3,
                "timeout",
                "PT7S",
                "uniqueKey",
                "u1",
                "uniqueWindow",
                "PT10M",
                "limitKey",
                "l1",
                "deadline",
                "2100-01-01T00:00:00Z",
                "parent",
                parent,
                "headers",
                Api.json("x-order", "17", "traceparent", "00-1-1-01")));
    Work.await(acme, id, "SUCCEEDED");

    Api.Answer answer = acme.get("/v1/jobs/" + id);
    JsonNode job = answer.body();

    assertThat(answer.header("ETag")).isNotEmpty();
    assertThat(job.path("queue").asString()).isEqualTo("slow");
    assertThat(job.path("priority").asInt()).isEqualTo(2);
    assertThat(job.path("uniqueKey").asString()).isEqualTo("u1");
    assertThat(job.path("limitKey").asString()).isEqualTo("l1");
    assertThat(job.path("parent").asString()).isEqualTo(parent);
    assertThat(job.path("rules").path("maxAttempts").asInt()).isEqualTo(3);
    assertThat(job.path("rules").path("timeout").asString()).isEqualTo("PT7S");
    assertThat(job.path("rules").path("deadline").asString()).isEqualTo("2100-01-01T00:00:00Z");
    assertThat(job.path("headers").path("x-order").asString()).isEqualTo("17");
    assertThat(job.path("payload").path("url").asString()).isEqualTo(receiver.url("/shown"));
    assertThat(job.path("result").path("status").asInt()).isEqualTo(200);
    assertThat(job.path("attempts").path(0).path("outcome").asString()).isEqualTo("SUCCEEDED");
    assertThat(job.path("attempts").path(0).path("replica").asString()).startsWith("replica-");
    assertThat(job.path("endedAt").asString()).isNotEmpty();
    assertThat(job.path("createdBy").asString()).isNotEmpty();
    Work.expect(200, acme.get("/v1/jobs/" + id + "/log"));
    assertThat(acme.get("/v1/jobs/" + id + "/why").text("sentence")).contains("SUCCEEDED");
  }

  @Test
  void jobsOfOthersAndOfNobodyAreNotThere() {
    Api one = tenant("mine");
    Api two = tenant("theirs");
    String id = Work.create(one, Work.later());
    Sql sql = installation.bean(0, Sql.class);

    for (String path : List.of("", "/log", "/why")) {
      Work.expect(404, two.get("/v1/jobs/" + id + path));
    }
    for (String act : List.of("cancel", "retry", "approve", "reject")) {
      Work.expect(404, two.post("/v1/jobs/" + id + "/" + act));
    }
    Work.expect(
        404, two.post("/v1/jobs/" + id + "/reschedule", Api.json("at", "2100-01-01T00:00:00Z")));
    Work.expect(400, two.post("/v1/jobs", Work.later("parent", id)));
    assertThat(ids(two.get("/v1/jobs"))).isEmpty();
    assertThat(
            Work.expect(200, two.post("/v1/dead-letters/purge", Api.json("ids", List.of(id))))
                .body()
                .path("done")
                .asInt())
        .isZero();
    assertThat(
            two.post(
                    "/v1/jobs/bulk",
                    Api.json("action", "cancel", "filter", Api.json("kind", "http")))
                .body()
                .path("matched")
                .asInt())
        .isZero();
    assertThat(one.get("/v1/jobs/" + id).text("state")).isEqualTo("SCHEDULED");
    sql.of("update @@job_lane set tenant = '' where tenant = 'mine'").update();
    Work.expect(404, one.get("/v1/jobs/" + id));
    Work.expect(404, installation.api().get("/v1/jobs/" + id));
    Work.expect(404, installation.api().with("Monotick-Tenant", "").get("/v1/jobs/" + id));
    sql.of("update @@job_lane set tenant = 'mine' where tenant = ''").update();
  }

  @Test
  void listsAreFilteredAndPaged() {
    Api acme = tenant("listed");
    List<Object> many = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      many.add(Work.later("queue", i % 2 == 0 ? "even" : "odd", "uniqueKey", "order-" + i));
    }
    List<String> all = made(acme.post("/v1/jobs/batch", Api.json("jobs", many)));
    String first = all.get(0);
    String done = Work.create(acme, Work.http(receiver.url("/listed"), "parent", first));
    Work.await(acme, done, "SUCCEEDED");

    List<String> seen = new ArrayList<>();
    String next = "";
    do {
      Api.Answer page = acme.get("/v1/jobs?limit=3" + (next.isEmpty() ? "" : "&after=" + next));
      seen.addAll(ids(page));
      next = page.text("next");
    } while (!next.isEmpty());

    assertThat(seen).hasSize(8).doesNotHaveDuplicates().containsAll(all).first().isEqualTo(done);
    assertThat(ids(acme.get("/v1/jobs?state=SUCCEEDED"))).containsExactly(done);
    assertThat(ids(acme.get("/v1/jobs?state=SCHEDULED&queue=odd"))).hasSize(3);
    assertThat(ids(acme.get("/v1/jobs?kind=none"))).isEmpty();
    assertThat(ids(acme.get("/v1/jobs?parent=" + first))).containsExactly(done);
    assertThat(ids(acme.get("/v1/jobs?search=ORDER-3"))).containsExactly(all.get(3));
    String at = acme.get("/v1/jobs/" + done).text("createdAt");
    assertThat(ids(acme.get("/v1/jobs?createdBefore=" + at))).doesNotContain(done).contains(first);
    assertThat(ids(acme.get("/v1/jobs?createdAfter=2100-01-01T00:00:00Z"))).isEmpty();
  }

  @Test
  void aJobIsFoundBehindManyOfOthers() {
    Api acme = tenant("rare");
    String id = Work.create(acme, Work.later());
    // The engine looks at the 100,000 youngest jobs of all tenants.
    installation
        .bean(0, Sql.class)
        .of(
            """
            insert into @@job (id, timeout_millis, lane, version, max_attempts, effect, payload)
            select @@job_id_now() + n, 1, -1, 1, 1, 0, '' from generate_series(1, 130000) n
            """)
        .update();

    assertThat(ids(acme.get("/v1/jobs"))).containsExactly(id);
    installation.bean(0, Sql.class).of("delete from @@job where lane = -1").update();
  }

  @Test
  void deadlinesPass() {
    Api acme = tenant("deadline");
    String id =
        Work.create(
            acme,
            Work.http(receiver.url("/x"), "delay", "PT1H", "deadline", "2024-01-01T00:00:00Z"));

    Work.await(acme, id, "EXPIRED");
  }

  @Test
  void chainsRunInOrderAndBreak() {
    Api acme = tenant("chain");
    List<String> good =
        made(
            acme.post(
                "/v1/jobs/batch",
                Api.json(
                    "chain",
                    true,
                    "jobs",
                    List.of(Work.http(receiver.url("/c1")), Work.http(receiver.url("/c2"))))));
    List<String> bad =
        made(
            acme.post(
                "/v1/jobs/batch",
                Api.json(
                    "chain",
                    true,
                    "jobs",
                    List.of(Work.http(receiver.url("/bad")), Work.http(receiver.url("/c3"))))));

    Work.await(acme, good.get(1), "SUCCEEDED");
    Work.await(acme, bad.get(1), "CANCELLED");
    assertThat(receiver.calls().stream().map(Receiver.Call::path))
        .containsSubsequence("/c1", "/c2")
        .doesNotContain("/c3");
    assertThat(acme.get("/v1/jobs/" + bad.get(0)).text("state")).isEqualTo("DEAD");
  }

  @Test
  void theLastComesWhenAllHaveEnded() {
    Api acme = tenant("batch");
    String parent = Work.create(acme, Work.later());
    List<String> ids =
        made(
            acme.post(
                "/v1/jobs/batch",
                Api.json(
                    "jobs",
                    List.of(Work.http(receiver.url("/bad")), Work.later()),
                    "whenAllEnded",
                    Work.http(receiver.url("/all")),
                    "parent",
                    parent)));
    String last = ids.get(2);
    Work.await(acme, ids.get(0), "DEAD");
    Api.Answer why = acme.get("/v1/jobs/" + last + "/why");
    assertThat(why.text("because")).isEqualTo("OTHER_JOBS");
    assertThat(why.body().path("facts").path("pendingJobs").asInt()).isEqualTo(1);
    assertThat(why.body().path("facts").path("comesAfter").toString())
        .contains(ids.get(0))
        .contains(ids.get(1));

    Work.expect(200, acme.post("/v1/jobs/" + ids.get(1) + "/cancel"));

    Work.await(acme, last, "SUCCEEDED");
    assertThat(ids(acme.get("/v1/jobs?parent=" + parent))).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void aPausedQueueIsTheAnswerToWhy() {
    Api acme = tenant("paused");
    Work.expect(403, acme.post("/v1/queues/q1/pause"));
    Work.expect(
        204, installation.api().post("/v1/queues/q1/pause", Api.json("note", "maintenance")));
    String first = Work.create(acme, Work.http(receiver.url("/q1"), "queue", "q1"));
    String second = Work.create(acme, Work.http(receiver.url("/q1"), "queue", "q1"));

    Api.Answer why = acme.get("/v1/jobs/" + first + "/why");
    assertThat(why.text("because")).isEqualTo("PAUSED");
    assertThat(why.text("sentence")).contains("queue q1 is paused");
    assertThat(acme.get("/v1/queues").raw().body()).contains("maintenance");
    JsonNode counts = acme.get("/v1/statistics").body();
    assertThat(counts.path("total").path("ready").asInt()).isEqualTo(2);
    assertThat(counts.path("byQueue").path(0).path("name").asString()).isEqualTo("q1");
    Work.expect(403, acme.get("/v1/statistics?all=true"));
    assertThat(installation.api().get("/v1/statistics?all=true").body().path("byTenant").toString())
        .contains("paused");

    Work.expect(204, installation.api().post("/v1/queues/q1/resume"));
    Work.await(acme, first, "SUCCEEDED");
    Work.await(acme, second, "SUCCEEDED");
  }
}
