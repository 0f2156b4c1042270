package dev.monotick.server.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.ApiKeys;
import dev.monotick.server.access.Role;
import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import tools.jackson.databind.JsonNode;

/** Agents: how they get work and report, and what becomes of it when they do not. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class AgentTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Installation installation =
      Installation.create()
          .with("monotick.agents.silence", "2s")
          .with("monotick.agents.lease", "1s")
          .with("monotick.agents.health-interval", "100ms")
          .with("monotick.agents.poll-interval", "50ms")
          .with("monotick.agents.losses", "100")
          .with("monotick.remote.interval", "100ms")
          .with("monotick.quota.active-jobs", "unlimited");
  private String key = "";

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
    key = key("default");
  }

  @AfterAll
  void stop() {
    threads.shutdownNow();
    installation.close();
  }

  private String key(String tenant) {
    return installation
        .bean(0, ApiKeys.class)
        .make(Optional.of(tenant), Role.AGENT, "agents of " + tenant, "test", null)
        .secret();
  }

  private Api agents() {
    return installation.api(1).as(key);
  }

  private void register(String name, Map<String, String> labels) {
    Api.Answer answer =
        agents()
            .post(
                "/v1/agents/register",
                Api.json(
                    "name",
                    name,
                    "labels",
                    labels,
                    "version",
                    "1",
                    "capabilities",
                    List.of("echo")));
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
  }

  /** Work that only that agent may do, so that tests do not disturb each other. */
  private String create(String agent, Object... more) {
    Map<String, Object> payload =
        Api.json("command", "echo", "args", List.of("hi"), "agent", agent);
    payload.putAll(Api.json(more));
    return create(payload);
  }

  private String create(Map<String, Object> payload) {
    Api.Answer answer =
        installation.api().post("/v1/jobs", Api.json("kind", "agent", "payload", payload));
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(201);
    return answer.text("id");
  }

  private Api.Answer poll(String agent, int seconds) {
    return agents()
        .post("/v1/agents/" + agent + "/poll", Api.json("max", 10, "waitSeconds", seconds));
  }

  private JsonNode lease(String agent) {
    List<JsonNode> leases = new ArrayList<>();
    Eventually.until(
        agent + " gets work",
        () -> {
          poll(agent, 1).body().path("leases").forEach(leases::add);
          return !leases.isEmpty();
        });
    assertThat(leases).hasSize(1);
    return leases.get(0);
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asString("");
  }

  private Api.Answer report(String agent, String what, Object... body) {
    return agents().post("/v1/agents/" + agent + "/" + what, Api.json(body));
  }

  private Job job(String id) {
    return installation.bean(0, Jobs.class).find(JobId.parse(id)).orElseThrow();
  }

  private Job awaitEnd(String id) {
    Eventually.until(() -> "job " + job(id) + " ends", () -> job(id).state().isTerminal());
    return job(id);
  }

  private String work(String id, String field) {
    return installation.api().get("/v1/jobs/" + id + "/remote-work").text(field);
  }

  @Test
  void anAgentGetsWorkAndReportsIt() {
    register("worker", Map.of());
    String id = create("worker", "env", Map.of("A", "b"));

    JsonNode leased = lease("worker");
    String lease = text(leased, "lease");
    assertThat(text(leased, "jobId")).isEqualTo(id);
    assertThat(leased.path("work").toString())
        .isEqualTo("{\"command\":\"echo\",\"args\":[\"hi\"],\"env\":{\"A\":\"b\"}}");
    assertThat(work(id, "state")).isEqualTo("LEASED");
    assertThat(work(id, "agent")).isEqualTo("worker");

    Api.Answer beat = report("worker", "heartbeat", "leases", List.of(lease));
    assertThat(beat.body().path("renewed").has(lease)).isTrue();
    assertThat(
            report("worker", "progress", "lease", lease, "progress", 0.25, "doing", "step 1")
                .status())
        .isEqualTo(204);
    assertThat(work(id, "doing")).isEqualTo("step 1");
    assertThat(report("worker", "log", "lease", lease, "lines", List.of("one", "two")).status())
        .isEqualTo(204);
    Object[] end = {"lease", lease, "outcome", "SUCCEEDED", "exitCode", 0, "output", "hi\n"};
    assertThat(report("worker", "result", end).status()).isEqualTo(204);
    assertThat(report("worker", "result", end).status()).as("said twice").isEqualTo(204);

    Job job = awaitEnd(id);
    assertThat(job.state().name()).isEqualTo("SUCCEEDED");
    assertThat(new String(job.result().orElseThrow(), StandardCharsets.UTF_8))
        .isEqualTo("{\"agent\":\"worker\",\"exitCode\":0,\"output\":\"hi\\n\"}");
    assertThat(job.attempts().get(job.attempts().size() - 1).attempt()).isEqualTo(1);
    assertThat(installation.bean(0, Jobs.class).log(job.id(), 10))
        .extracting(Job.LogLine::text)
        .containsExactly("one", "two");
    assertThat(report("worker", "log", "lease", lease, "lines", List.of("late")).text("type"))
        .endsWith("lease-lost");
  }

  @Test
  void anAgentThatWaitsIsToldAtOnce() throws Exception {
    register("patient", Map.of());
    CompletableFuture<Api.Answer> waiting =
        CompletableFuture.supplyAsync(() -> poll("patient", 30), threads);
    Api.Answer none = poll("patient", 0);
    assertThat(none.body().path("leases").isEmpty()).isTrue();

    String id = create("patient");

    // It waits for at most a third of the silence that is allowed, 2 s, and asks again.
    Api.Answer answer = waiting.get();
    JsonNode leased =
        answer.body().path("leases").isEmpty()
            ? lease("patient")
            : answer.body().path("leases").get(0);
    assertThat(text(leased, "jobId")).isEqualTo(id);
    report("patient", "result", "lease", text(leased, "lease"), "outcome", "SUCCEEDED");
    awaitEnd(id);
  }

  @Test
  void workFindsAgentsByNameAndLabels() {
    register("linux-1", Map.of("os", "linux", "zone", "a"));
    register("linux-2", Map.of("os", "linux", "zone", "b"));
    String labelled =
        create(
            Api.json(
                "type",
                "scan",
                "labels",
                Map.of("os", "linux", "zone", "b"),
                "input",
                Map.of("n", 1)));
    Eventually.until("it waits", () -> work(labelled, "state").equals("WAITING"));

    assertThat(poll("linux-1", 0).body().path("leases").isEmpty()).isTrue();
    JsonNode leased = lease("linux-2");
    assertThat(text(leased, "jobId")).isEqualTo(labelled);
    assertThat(leased.path("work").toString()).isEqualTo("{\"type\":\"scan\",\"input\":{\"n\":1}}");
    report(
        "linux-2",
        "result",
        "lease",
        text(leased, "lease"),
        "outcome",
        "SUCCEEDED",
        "result",
        List.of(1));
    awaitEnd(labelled);

    Api api = installation.api();
    assertThat(api.get("/v1/agents?label=os=linux&label=zone=a").body().path("items").size())
        .isEqualTo(1);
    assertThat(api.get("/v1/agents?label=os").status()).isEqualTo(400);
    assertThat(api.get("/v1/agents?status=asleep").status()).isEqualTo(400);
    Api.Answer page = api.get("/v1/agents?label=os=linux&limit=1");
    assertThat(page.text("next")).isEqualTo("linux-1");
    assertThat(
            api.get("/v1/agents?label=os=linux&limit=1&after=linux-1")
                .body()
                .path("items")
                .get(0)
                .path("name")
                .asString())
        .isEqualTo("linux-2");
  }

  @Test
  void workOfASilentAgentIsHandedOnAndTheOldLeaseIsGoodForNothing() {
    register("silent", Map.of("pool", "handover"));
    String id = create(Api.json("command", "echo", "labels", Map.of("pool", "handover")));
    String old = text(lease("silent"), "lease");

    Eventually.until(
        "silent is Offline",
        () -> installation.api().get("/v1/agents/silent").text("status").equals("OFFLINE"));
    register("heir", Map.of("pool", "handover"));
    JsonNode leased = lease("heir");
    assertThat(text(leased, "jobId")).isEqualTo(id);
    assertThat(fence(text(leased, "lease"))).isGreaterThan(fence(old));

    Api.Answer late = report("silent", "result", "lease", old, "outcome", "SUCCEEDED");
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.text("type")).endsWith("lease-lost");
    assertThat(report("silent", "heartbeat", "leases", List.of(old)).body().path("lost").toString())
        .contains(old);
    assertThat(installation.api().get("/v1/agents/silent").text("status")).isEqualTo("ONLINE");
    assertThat(work(id, "agent")).isEqualTo("heir");
    report("heir", "result", "lease", text(leased, "lease"), "outcome", "SUCCEEDED");
    Job job = awaitEnd(id);
    assertThat(job.state().name()).isEqualTo("SUCCEEDED");
    assertThat(job.attempts().get(job.attempts().size() - 1).attempt()).isEqualTo(1);
    assertThat(audited("agent/silent", "agent_offline") + audited("job/" + id, "work_handed_on"))
        .isGreaterThanOrEqualTo(1);
  }

  private long audited(String subject, String action) {
    return installation
        .bean(0, Sql.class)
        .of("select count(*) from @audit_event where subject = :subject and action = :action")
        .param("subject", subject)
        .param("action", action)
        .query(Long.class)
        .single();
  }

  private static long fence(String lease) {
    return Long.parseLong(lease.substring(lease.indexOf(':') + 1));
  }

  @Test
  void aLeaseThatItsAgentForgotLapses() {
    register("forgetful", Map.of());
    String id = create("forgetful");
    String old = text(lease("forgetful"), "lease");

    Eventually.until(
        "the lease lapses",
        () -> {
          report("forgetful", "heartbeat", "leases", List.of());
          return work(id, "state").equals("WAITING");
        });
    assertThat(installation.api().get("/v1/agents/forgetful").text("status")).isEqualTo("ONLINE");
    String fresh = text(lease("forgetful"), "lease");
    assertThat(fence(fresh)).isEqualTo(fence(old) + 1);
    assertThat(report("forgetful", "result", "lease", fresh, "outcome", "SUCCEEDED").status())
        .isEqualTo(204);
    awaitEnd(id);
  }

  @Test
  void aFreshHeartbeatIsNeverOverwrittenByTheSweeper() throws Exception {
    register("racer", Map.of());
    create("racer");
    String lease = text(lease("racer"), "lease");
    Sql sql = installation.bean(0, Sql.class);
    AgentHealth health = installation.bean(1, AgentHealth.class);
    Set<Boolean> kept = new HashSet<>();
    for (int i = 0; i < 150 || kept.size() < 2; i++) {
      sql.of(
              "update @agent set last_seen = now() - interval '1 hour', status = 'ONLINE' where name = 'racer'")
          .update();
      String mine = lease;
      CompletableFuture<Void> sweep = CompletableFuture.runAsync(health::check, threads);
      Api.Answer beat = report("racer", "heartbeat", "leases", List.of(mine));
      sweep.get();

      assertThat(installation.api().get("/v1/agents/racer").text("status")).isEqualTo("ONLINE");
      boolean renewed = beat.body().path("renewed").has(mine);
      kept.add(renewed);
      if (renewed) {
        assertThat(
                report("racer", "heartbeat", "leases", List.of(mine))
                    .body()
                    .path("renewed")
                    .has(mine))
            .isTrue();
      } else {
        lease = text(lease("racer"), "lease");
      }
      assertThat(i).as("both orders were seen").isLessThan(3_000);
    }
    assertThat(report("racer", "result", "lease", lease, "outcome", "SUCCEEDED").status())
        .isEqualTo(204);
  }

  @Test
  void workThatMayHaveHappenedIsNotRepeatedIfSoWished() {
    register("once", Map.of());
    String id = create("once", "onLoss", "FAIL");
    lease("once");

    Job job = awaitEnd(id);

    assertThat(job.state().name()).isEqualTo("DEAD");
    assertThat(job.attempts().get(job.attempts().size() - 1).detail().orElse(""))
        .contains("may have happened")
        .contains("once");
    assertThat(audited("job/" + id, "work_lost")).isEqualTo(1);
  }

  @Test
  void aCancelledJobReachesItsAgent() {
    register("stopped", Map.of());
    String id = create("stopped");
    String lease = text(lease("stopped"), "lease");

    assertThat(installation.bean(0, Jobs.class).cancel(JobId.parse(id), "test", "")).isTrue();

    assertThat(
            report("stopped", "heartbeat", "leases", List.of(lease))
                .body()
                .path("cancelled")
                .toString())
        .contains(lease);
    assertThat(report("stopped", "result", "lease", lease, "outcome", "SUCCEEDED").text("type"))
        .endsWith("lease-cancelled");
    assertThat(job(id).state().name()).isEqualTo("CANCELLED");
  }

  @Test
  void failuresAreTriedAgainAndHandedBackWorkGoesOn() {
    register("clumsy", Map.of());
    String id = create("clumsy");
    String first = text(lease("clumsy"), "lease");
    assertThat(report("clumsy", "result", "lease", first, "outcome", "HANDED_BACK").status())
        .isEqualTo(204);
    JsonNode second = lease("clumsy");
    assertThat(second.path("attempt").asInt()).isEqualTo(1);
    report(
        "clumsy",
        "result",
        "lease",
        text(second, "lease"),
        "outcome",
        "FAILED",
        "exitCode",
        3,
        "output",
        "ouch");
    JsonNode third = lease("clumsy");
    assertThat(third.path("attempt").asInt()).isEqualTo(2);
    report(
        "clumsy",
        "result",
        "lease",
        text(third, "lease"),
        "outcome",
        "FAILED",
        "error",
        "no way",
        "permanent",
        true);

    Job job = awaitEnd(id);
    assertThat(job.state().name()).isEqualTo("DEAD");
    assertThat(job.attempts().toString()).contains("exit code 3 at agent clumsy").contains("ouch");
    assertThat(job.attempts().get(job.attempts().size() - 1).detail())
        .contains("no way at agent clumsy");
  }

  @Test
  void workThatNobodyTakesFailsItsAttempt() {
    String id = create(Api.json("command", "echo", "agent", "nobody", "pickup", "PT1S"));

    Eventually.until(
        "an attempt has failed",
        () ->
            job(id).attempts().stream().anyMatch(each -> each.outcome().name().equals("RETRIED")));
    assertThat(job(id).attempts().toString()).contains("in time");
    assertThat(audited("job/" + id, "remote_work_timed_out")).isGreaterThanOrEqualTo(0);
    installation.bean(0, Jobs.class).cancel(JobId.parse(id), "test", "");
  }

  @Test
  void agentsThatAskAtOnceGetDifferentWork() throws Exception {
    for (int i = 0; i < 8; i++) {
      register("crowd-" + i, Map.of("pool", "crowd"));
    }
    Set<String> created = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      created.add(create(Api.json("command", "echo", "labels", Map.of("pool", "crowd"))));
    }
    List<CompletableFuture<List<String>>> done = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String name = "crowd-" + i;
      done.add(CompletableFuture.supplyAsync(() -> drain(name), threads));
    }
    List<String> all = new ArrayList<>();
    for (CompletableFuture<List<String>> each : done) {
      all.addAll(each.get());
    }
    assertThat(all).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(created);
    created.forEach(this::awaitEnd);
  }

  /** Does work until there is none for a while. */
  private List<String> drain(String name) {
    List<String> did = new ArrayList<>();
    for (int idle = 0; idle < 4; idle++) {
      for (JsonNode each : poll(name, 1).body().path("leases")) {
        idle = 0;
        int status =
            report(name, "result", "lease", text(each, "lease"), "outcome", "SUCCEEDED").status();
        // On a slow machine a lease of a second may lapse: then it is another's, and only his.
        assertThat(status).isIn(204, 409);
        if (status == 204) {
          did.add(text(each, "jobId"));
        }
      }
    }
    return did;
  }

  @Test
  void aFleetIsBroughtInLineWithAnInventory() {
    Sql sql = installation.bean(0, Sql.class);
    sql.of("insert into @tenant (name, agents) values ('fleet', 3)").update();
    Api api = installation.api().with("Monotick-Tenant", "fleet");
    Object first =
        Api.json(
            "agents",
            List.of(Api.json("name", "a", "labels", Map.of("x", "1")), Api.json("name", "b")));
    assertThat(api.post("/v1/fleet/sync", first).body().toString())
        .isEqualTo("{\"added\":[\"a\",\"b\"],\"changed\":[],\"unchanged\":0,\"removed\":[]}");
    Object second =
        Api.json(
            "prune",
            true,
            "agents",
            List.of(Api.json("name", "a", "labels", Map.of("x", "2")), Api.json("name", "c")));
    assertThat(api.post("/v1/fleet/sync", second).body().toString())
        .isEqualTo("{\"added\":[\"c\"],\"changed\":[\"a\"],\"unchanged\":0,\"removed\":[\"b\"]}");
    assertThat(api.post("/v1/fleet/sync", second).body().path("unchanged").asInt()).isEqualTo(2);
    assertThat(api.post("/v1/fleet/sync", Api.json("agents", List.of(), "prune", true)).status())
        .isEqualTo(400);
    Api.Answer tooMany =
        api.post(
            "/v1/fleet/sync",
            Api.json("agents", List.of(Api.json("name", "d"), Api.json("name", "e"))));
    assertThat(tooMany.status()).isEqualTo(429);
    assertThat(api.get("/v1/agents").body().path("items").size()).isEqualTo(2);

    Api agent = installation.api().as(key("fleet"));
    assertThat(agent.post("/v1/agents/register", Api.json("name", "d")).status()).isEqualTo(200);
    assertThat(agent.post("/v1/agents/register", Api.json("name", "e")).status()).isEqualTo(429);
    assertThat(agent.post("/v1/agents/register", Api.json("name", "d")).status()).isEqualTo(200);
    assertThat(api.call("DELETE", "/v1/agents/d", null).status()).isEqualTo(204);
    assertThat(agent.post("/v1/agents/d/poll", Api.json()).status()).isEqualTo(404);
    assertThat(agent.get("/v1/agents").status()).isEqualTo(403);
    assertThat(api.get("/v1/agents/worker").status()).as("of another tenant").isEqualTo(404);
  }

  @Test
  void whatCannotBeIsRefused() {
    register("strict", Map.of());
    assertThat(
            installation.api().as(null).post("/v1/agents/register", Api.json("name", "x")).status())
        .isEqualTo(401);
    assertThat(report("strict", "result", "lease", "x", "outcome", "SUCCEEDED").text("field"))
        .isEqualTo("lease");
    assertThat(report("strict", "poll", "max", 0).text("field")).isEqualTo("max");
    assertThat(report("strict", "poll", "waitSeconds", 31).text("field")).isEqualTo("waitSeconds");
    assertThat(agents().post("/v1/agents/register", Api.json("name", "a b")).text("field"))
        .isEqualTo("name");
    Map<String, Object> both = Api.json("command", "a", "type", "b");
    assertThat(
            installation
                .api()
                .post("/v1/jobs", Api.json("kind", "agent", "payload", both))
                .text("field"))
        .isEqualTo("payload.command");
    Map<String, Object> code = Api.json("command", "a", "env", Map.of("LD_PRELOAD", "x"));
    assertThat(
            installation
                .api()
                .post("/v1/jobs", Api.json("kind", "agent", "payload", code))
                .text("field"))
        .isEqualTo("payload.env");
  }
}
