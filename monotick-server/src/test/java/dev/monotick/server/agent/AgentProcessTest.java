package dev.monotick.server.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.database.Sql;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Agents that come with Monotick, each a process, with a server of two replicas. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class AgentProcessTest {

  private final Installation installation =
      Installation.create()
          .with("monotick.agents.silence", "3s")
          .with("monotick.agents.lease", "3s")
          .with("monotick.agents.health-interval", "200ms")
          .with("monotick.agents.poll-interval", "50ms")
          .with("monotick.remote.interval", "100ms")
          .with("monotick.quota.active-jobs", "unlimited");

  @BeforeAll
  void start() {
    installation.start();
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  /** Starts an agent that has a key of its own. */
  private AgentProcess agent(String name, Path folder, String... more) throws IOException {
    Api.Answer key =
        Work.expect(
            201,
            installation
                .api()
                .post("/v1/keys", Api.json("name", name, "role", "AGENT", "agent", name)));
    return new AgentProcess(installation.port(1), key.text("secret"), name, folder, more);
  }

  /** Creates a job that tells that it began, and goes on until there is a file. */
  private String create(String pool, Path folder) {
    return script(
        pool,
        "echo $MONOTICK_JOB >> "
            + folder.resolve("begun")
            + "; while [ ! -e "
            + folder.resolve("go")
            + " ]; do sleep 0.05; done; echo done");
  }

  private String script(String pool, String script) {
    return Work.create(
        installation.api(),
        Api.json(
            "kind",
            "agent",
            "payload",
            Api.json("command", "sh", "args", List.of(script), "labels", Api.json("pool", pool))));
  }

  private static long begun(Path folder, String job) {
    try {
      Path file = folder.resolve("begun");
      return Files.exists(file)
          ? Files.readAllLines(file).stream().filter(line -> line.equals(job)).count()
          : 0;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Api.Answer work(String job) {
    return installation.api().get("/v1/jobs/" + job + "/remote-work");
  }

  private String status(String agent) {
    return installation.api().get("/v1/agents/" + agent).text("status");
  }

  private List<String> audited(String subject) {
    return installation
        .bean(0, Sql.class)
        .of("select action from @audit_event where subject = :subject order by seq")
        .param("subject", subject)
        .query((row, number) -> row.getString(1))
        .list();
  }

  @Test
  void workOfAnAgentThatWasKilledGoesToAnother(@TempDir Path folder) throws IOException {
    try (AgentProcess first = agent("killed", folder, "--labels", "pool=kill")) {
      String job = create("kill", folder);
      Eventually.until(() -> "it begins: " + first.said(), () -> begun(folder, job) == 1);
      assertThat(work(job).text("agent")).isEqualTo("killed");
      try (AgentProcess second = agent("heir", folder, "--labels", "pool=kill")) {
        Eventually.until(
            () -> "it is there: " + second.said(), () -> status("heir").equals("ONLINE"));

        first.kill();

        Eventually.until("it is missed", () -> status("killed").equals("OFFLINE"));
        Eventually.until(() -> "the other begins: " + second.said(), () -> begun(folder, job) == 2);
        assertThat(work(job).text("agent")).isEqualTo("heir");
        Files.createFile(folder.resolve("go"));
        Work.await(installation.api(), job, "SUCCEEDED");
        assertThat(installation.api().get("/v1/jobs/" + job).raw().body())
            .contains("heir")
            .contains("done");
        assertThat(audited("agent/killed")).contains("agent_offline");
        assertThat(audited("job/" + job)).contains("work_handed_on");
        assertThat(second.isAlive()).isTrue();
      }
    } finally {
      release(folder);
    }
  }

  /** Commands that outlive their agents end with it. */
  private static void release(Path folder) throws IOException {
    if (!Files.exists(folder.resolve("go"))) {
      Files.createFile(folder.resolve("go"));
    }
  }

  @Test
  void anAgentThatIsStoppedEndsWhatItHasAndTakesNoMore(@TempDir Path folder) throws IOException {
    try (AgentProcess agent = agent("drained", folder, "--labels", "pool=drain", "--grace", "30")) {
      String begun = create("drain", folder);
      Eventually.until(() -> "it begins: " + agent.said(), () -> begun(folder, begun) == 1);

      agent.terminate();
      Eventually.until(() -> "it stops: " + agent.said(), () -> agent.said().contains("stopping"));
      String later = create("drain", folder);
      Eventually.until("it waits for an agent", () -> work(later).text("state").equals("WAITING"));
      assertThat(work(begun).text("state")).isEqualTo("LEASED");
      Files.createFile(folder.resolve("go"));

      Work.await(installation.api(), begun, "SUCCEEDED");
      Eventually.until(() -> "it has stopped: " + agent.said(), () -> !agent.isAlive());
      assertThat(begun(folder, later)).isZero();
      try (AgentProcess next = agent("relief", folder, "--labels", "pool=drain")) {
        Work.await(installation.api(), later, "SUCCEEDED");
        assertThat(next.isAlive()).isTrue();
      }
    } finally {
      release(folder);
    }
  }

  @Test
  void anAgentThatIsStoppedHandsBackWhatItCannotEnd(@TempDir Path folder) throws IOException {
    try (AgentProcess agent = agent("hasty", folder, "--labels", "pool=hasty", "--grace", "0")) {
      String job = create("hasty", folder);
      Eventually.until(() -> "it begins: " + agent.said(), () -> begun(folder, job) == 1);

      agent.terminate();

      Eventually.until(() -> "it has stopped: " + agent.said(), () -> !agent.isAlive());
      Eventually.until("it waits for another", () -> work(job).text("state").equals("WAITING"));
      assertThat(work(job).body().path("losses").asInt(-1)).as("nothing was lost").isZero();
      assertThat(audited("job/" + job)).doesNotContain("work_handed_on");
      Work.expect(200, installation.api().post("/v1/jobs/" + job + "/cancel"));
    } finally {
      release(folder);
    }
  }

  @Test
  void anAgentRunsOnlyWhatItsListHas(@TempDir Path folder) throws IOException {
    try (AgentProcess agent = agent("strict", folder, "--labels", "pool=strict")) {
      String job =
          Work.create(
              installation.api(),
              Api.json(
                  "kind",
                  "agent",
                  "payload",
                  Api.json("command", "rm", "args", List.of("-rf"), "agent", "strict")));

      Work.await(installation.api(), job, "DEAD");

      assertThat(installation.api().get("/v1/jobs/" + job).raw().body())
          .contains("does not know the command");
      assertThat(agent.isAlive()).isTrue();
    }
  }

  @Test
  void anAgentWithAnothersNameIsSentAway(@TempDir Path folder) throws IOException {
    try (AgentProcess rightful = agent("rightful", folder);
        AgentProcess impostor =
            new AgentProcess(
                installation.port(0),
                Work.expect(
                        201,
                        installation.api().post("/v1/keys", Api.json("name", "x", "role", "AGENT")))
                    .text("secret"),
                "rightful",
                folder)) {
      Eventually.until(() -> "it ends: " + impostor.said(), () -> !impostor.isAlive());

      assertThat(impostor.exitCode()).isEqualTo(1);
      assertThat(impostor.said()).contains("403").contains("a key of its own");
      Eventually.until(
          () -> "the other is let in: " + rightful.said(),
          () -> status("rightful").equals("ONLINE"));
    }
  }
}
