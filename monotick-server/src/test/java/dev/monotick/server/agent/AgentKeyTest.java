package dev.monotick.server.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Which key speaks for which agent, through either of two replicas. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class AgentKeyTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Installation installation =
      Installation.create()
          .with("monotick.agents.poll-interval", "50ms")
          .with("monotick.remote.interval", "100ms")
          .with("monotick.quota.active-jobs", "unlimited");

  /** A key, and who has it. */
  private record Key(String id, Api api) {}

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    threads.shutdownNow();
    installation.close();
  }

  private Key key(Object... more) {
    var body = Api.json("name", "agents", "role", "AGENT");
    body.putAll(Api.json(more));
    Api.Answer made = Work.expect(201, installation.api().post("/v1/keys", body));
    return new Key(
        made.body().at("/key/id").asString(), installation.api(1).as(made.text("secret")));
  }

  private static Api.Answer register(Key key, String name, Object... more) {
    var body = Api.json("name", name);
    body.putAll(Api.json(more));
    return key.api().post("/v1/agents/register", body);
  }

  private static Api.Answer report(Key key, String agent, String what, Object... body) {
    return key.api().post("/v1/agents/" + agent + "/" + what, Api.json(body));
  }

  private Api.Answer agent(String name) {
    return Work.expect(200, installation.api().get("/v1/agents/" + name));
  }

  private String lease(Key key, String agent) {
    List<String> leases = new ArrayList<>();
    Eventually.until(
        agent + " gets work",
        () -> {
          report(key, agent, "poll", "waitSeconds", 1)
              .body()
              .path("leases")
              .forEach(each -> leases.add(each.path("lease").asString()));
          return !leases.isEmpty();
        });
    return leases.get(0);
  }

  private static void refused(Api.Answer answer, String why) {
    Work.expect(403, answer);
    assertThat(answer.text("type")).endsWith(":agent-of-another-key");
    assertThat(answer.text("detail")).contains(why);
  }

  @Test
  void anAgentCanNeitherReportForAnotherNorTakeItsWorkNorSilenceIt() {
    Key honest = key();
    Key rogue = key();
    Work.expect(200, register(honest, "honest", "labels", Api.json("site", "berlin")));
    Work.expect(200, register(rogue, "rogue"));
    String job =
        Work.create(
            installation.api(),
            Api.json("kind", "agent", "payload", Api.json("command", "x", "agent", "honest")));
    String lease = lease(honest, "honest");
    Api.Answer before = agent("honest");

    String why = "speaks through another key";
    refused(register(rogue, "honest", "labels", Api.json("site", "moon")), why);
    refused(report(rogue, "honest", "poll", "max", 10), why);
    refused(report(rogue, "honest", "heartbeat", "leases", List.of(lease)), why);
    refused(report(rogue, "honest", "heartbeat", "leases", List.of()), why);
    refused(report(rogue, "honest", "progress", "lease", lease, "progress", 1.0), why);
    refused(report(rogue, "honest", "log", "lease", lease, "lines", List.of("lie")), why);
    for (String outcome : List.of("SUCCEEDED", "FAILED", "HANDED_BACK")) {
      refused(report(rogue, "honest", "result", "lease", lease, "outcome", outcome), why);
    }
    // Its own name does not help it: the lease is of another agent.
    assertThat(report(rogue, "rogue", "heartbeat", "leases", List.of(lease)).body().path("lost"))
        .hasSize(1);
    Work.expect(409, report(rogue, "rogue", "result", "lease", lease, "outcome", "SUCCEEDED"));
    assertThat(report(rogue, "rogue", "poll", "max", 10).body().path("leases")).isEmpty();
    Work.expect(403, rogue.api().call("DELETE", "/v1/agents/honest", null));
    Work.expect(403, rogue.api().post("/v1/agents/honest/release"));

    Api.Answer after = agent("honest");
    assertThat(after.body()).as("nothing of it has changed").isEqualTo(before.body());
    assertThat(after.text("boundTo")).isEqualTo("key/" + honest.id());
    Work.expect(204, report(honest, "honest", "result", "lease", lease, "outcome", "SUCCEEDED"));
    Work.await(installation.api(), job, "SUCCEEDED");
  }

  @Test
  void oneKeyMayServeAWholeFleet() {
    Key fleet = key();
    Key other = key();
    for (String name : List.of("fleet-1", "fleet-2", "fleet-3")) {
      Work.expect(200, register(fleet, name));
      Work.expect(200, report(fleet, name, "heartbeat", "leases", List.of()));
      refused(register(other, name), "another key");
    }

    Api.Answer released =
        Work.expect(200, installation.api().post("/v1/fleet/release", Api.json("key", fleet.id())));

    assertThat(released.body().path("released").toString())
        .isEqualTo("[\"fleet-1\",\"fleet-2\",\"fleet-3\"]");
    Work.expect(200, register(other, "fleet-1"));
    refused(report(fleet, "fleet-1", "poll"), "another key");
    Work.expect(200, report(fleet, "fleet-2", "poll"));
    Work.expect(400, installation.api().post("/v1/fleet/release", Api.json()));
    assertThat(audited("key/" + fleet.id())).contains("fleet_released");
  }

  @Test
  void aKeyThatWasMadeForOneAgentSpeaksForNoOtherAndNobodyElseSpeaksForIt() {
    Key fleet = key();
    Work.expect(200, register(fleet, "solo"));
    Key own = key("agent", "solo");

    refused(report(fleet, "solo", "poll"), "a key of its own");
    refused(register(fleet, "solo"), "a key of its own");
    refused(register(own, "fleet-9"), "speaks for the agent solo alone");
    Work.expect(200, register(own, "solo"));
    Work.expect(200, report(own, "solo", "poll"));
    assertThat(agent("solo").text("boundTo")).isEqualTo("key/" + own.id());

    // Keys change while the agent goes on: both are good until the first is revoked.
    Key next = key("agent", "solo");
    Work.expect(200, report(next, "solo", "poll"));
    Work.expect(200, report(own, "solo", "poll"));
    for (Key each : List.of(own, next)) {
      Work.expect(204, installation.api().call("DELETE", "/v1/keys/" + each.id(), null));
    }
    // A key that is no longer valid leaves the name with nobody but the operator.
    refused(register(fleet, "solo"), "speaks through another key");
    Work.expect(200, installation.api().post("/v1/agents/solo/release"));
    Work.expect(200, register(fleet, "solo"));
    assertThat(audited("agent/solo")).contains("agent_released");
  }

  @Test
  void aNameThatHasAKeyIsKeptBeforeItsAgentIsThere() {
    Key own = key("agent", "to-come");
    Key fleet = key();

    refused(register(fleet, "to-come"), "a key of its own");
    Work.expect(404, report(own, "to-come", "poll"));
    Work.expect(200, register(own, "to-come"));
    assertThat(installation.api().get("/v1/keys/" + own.id()).text("agent")).isEqualTo("to-come");
  }

  @Test
  void anAgentOfAnInventoryIsOfTheFirstWhoSpeaksForIt() {
    Work.expect(
        200,
        installation
            .api()
            .post("/v1/fleet/sync", Api.json("agents", List.of(Api.json("name", "listed")))));
    Key first = key();
    assertThat(agent("listed").text("boundTo")).isEmpty();

    Work.expect(200, report(first, "listed", "poll"));

    refused(report(key(), "listed", "poll"), "another key");
    assertThat(agent("listed").text("boundTo")).isEqualTo("key/" + first.id());
  }

  @Test
  void ofThoseWhoComeAtOnceOneKeyHasTheName() throws Exception {
    List<Key> keys = List.of(key(), key(), key(), key());
    for (int round = 0; round < 20; round++) {
      String name = "raced-" + round;
      CyclicBarrier together = new CyclicBarrier(keys.size());
      List<CompletableFuture<Integer>> all = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        Key at = new Key(keys.get(i).id(), keys.get(i).api().at(installation.port(i % 2)));
        all.add(
            CompletableFuture.supplyAsync(
                () -> {
                  await(together);
                  return register(at, name).status();
                },
                threads));
      }
      int winners = 0;
      String winner = "";
      for (int i = 0; i < keys.size(); i++) {
        int status = all.get(i).get();
        assertThat(status).isIn(200, 403);
        if (status == 200) {
          winners++;
          winner = keys.get(i).id();
        }
      }
      assertThat(winners).isEqualTo(1);
      assertThat(agent(name).text("boundTo")).isEqualTo("key/" + winner);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void onlyKeysOfAgentsAreForOne() {
    Api admin = installation.api();
    for (var body :
        List.of(
            Api.json("name", "x", "role", "VIEWER", "agent", "a"),
            Api.json("name", "x", "role", "AGENT", "agent", "a", "platform", true),
            Api.json("name", "x", "role", "AGENT", "agent", "not a name"))) {
      assertThat(Work.expect(400, admin.post("/v1/keys", body)).text("field")).isEqualTo("agent");
    }
    Work.expect(404, admin.post("/v1/agents/nobody/release"));
    Work.expect(412, admin.with("If-Match", "\"99\"").post("/v1/agents/" + listed() + "/release"));
  }

  private String listed() {
    Work.expect(200, register(key(), "versioned"));
    return "versioned";
  }

  private List<String> audited(String subject) {
    List<String> actions = new ArrayList<>();
    installation
        .api()
        .get("/v1/audit?subject=" + subject)
        .body()
        .path("items")
        .forEach(each -> actions.add(each.path("action").asString()));
    return actions;
  }
}
