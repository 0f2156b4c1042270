package dev.monotick.server.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.schedule.Schedule;
import dev.monotick.server.access.ApiKeys;
import dev.monotick.server.access.Role;
import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.Task;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.web.context.request.async.DeferredResult;
import tools.jackson.databind.json.JsonMapper;

/** What can be set about agents and work elsewhere has its effect. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class AgentSettingsTest {

  private final Installation installation =
      Installation.create()
          .with("monotick.agents.pickup", "1s")
          .with("monotick.agents.losses", "1")
          .with("monotick.agents.silence", "1s")
          .with("monotick.agents.lease", "1s")
          .with("monotick.agents.health-interval", "200ms")
          .with("monotick.remote.interval", "300ms")
          .with("monotick.remote.retention", "10s")
          .with("monotick.quota.active-jobs", "unlimited");
  private Api agent = new Api(0, null);

  @BeforeAll
  void start() {
    installation.start();
    agent =
        installation
            .api()
            .as(
                installation
                    .bean(0, ApiKeys.class)
                    .make(Optional.of("default"), Role.AGENT, "agent", "test", null)
                    .secret());
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private String create(String name) {
    Object payload = Api.json("command", "echo", "agent", name);
    return installation
        .api()
        .post("/v1/jobs", Api.json("kind", "agent", "payload", payload))
        .text("id");
  }

  private Job job(String id) {
    return installation.bean(0, Jobs.class).find(JobId.parse(id)).orElseThrow();
  }

  private void awaitFailure(String id, String why) {
    Eventually.until(
        () -> why + ": " + job(id).attempts(),
        () ->
            job(id).attempts().stream()
                .anyMatch(
                    each ->
                        each.outcome() == Outcome.RETRIED
                            && each.detail().orElse("").contains(why)));
    installation.bean(0, Jobs.class).cancel(JobId.parse(id), "test", "");
  }

  @Test
  void workWaitsForAnAgentOnlySoLong() {
    awaitFailure(create("nobody"), "no agent took it in time");
  }

  @Test
  void workIsLostOnlySoOften() {
    agent.post("/v1/agents/register", Api.json("name", "loser"));
    String id = create("loser");
    Eventually.until(
        "it has work",
        () ->
            agent
                    .post("/v1/agents/loser/poll", Api.json("waitSeconds", 1))
                    .body()
                    .path("leases")
                    .size()
                == 1);

    awaitFailure(id, "lost with 1 agents");
  }

  @Test
  void loopsRunAsOftenAsIsSet() {
    Map<String, Schedule> schedules = new HashMap<>();
    installation.beans(0, Task.class).forEach(each -> schedules.put(each.name(), each.schedule()));

    assertThat(schedules.get("agent-health")).isEqualTo(Schedule.every(Duration.ofMillis(200)));
    assertThat(schedules.get("remote-work")).isEqualTo(Schedule.every(Duration.ofMillis(300)));
  }

  @Test
  void whatEndedIsRememberedOnlySoLong() {
    Sql sql = installation.bean(0, Sql.class);
    for (int age : new int[] {5, 11}) {
      sql.of(
              """
              insert into @remote_work (tenant, job_id, attempt, kind, state, accepted, taken,
                                        timeout_millis, due_at, ended_at)
              values ('default', :job, 1, 'AGENT', 'DONE', true, true, 1, now(),
                      now() - :age * interval '1 second')
              """)
          .param("job", age)
          .param("age", age)
          .update();
    }

    Eventually.until("the older is forgotten", () -> count(11) == 0);
    // The other follows when its time has come.
    Eventually.until("the younger is forgotten", () -> count(5) == 0);
  }

  private long count(int job) {
    return installation
        .bean(0, Sql.class)
        .of("select count(*) from @remote_work where job_id = :job")
        .param("job", job)
        .query(Long.class)
        .single();
  }

  @Test
  void agentsThatWaitAreLookedAfterAsOftenAsIsSet() {
    assertThat(isServed("20ms")).isTrue();
    assertThat(isServed("10s")).isFalse();
  }

  /** Offers work behind the back of what looks for it, and says whether it is found soon. */
  private boolean isServed(String interval) {
    ServerSettings settings =
        ServerSettings.read(name -> name.equals("monotick.agents.poll-interval") ? interval : "");
    // A queue of its own, so that nobody tells it of work.
    AgentQueue queue =
        new AgentQueue(
            installation.bean(0, Sql.class), installation.bean(0, JsonMapper.class), settings);
    AgentPolls polls = new AgentPolls(queue, TimeSource.system(), settings);
    polls.start();
    // Its first look comes at its start, and is over long before this is.
    agent.post("/v1/agents/register", Api.json("name", "waiter"));
    try {
      DeferredResult<AgentPolls.Polled> answer =
          polls.poll(new AgentName("default", "waiter"), 1, Duration.ofSeconds(20));
      installation
          .bean(0, Sql.class)
          .of(
              """
              insert into @remote_work
                (tenant, job_id, attempt, kind, accepted, wanted_agent, timeout_millis, due_at)
              values ('default', (random() * 1e9)::bigint, 1, 'AGENT', true, 'waiter', 1000,
                      now() + interval '1 minute')
              """)
          .update();
      long end = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
      Eventually.until("time", () -> answer.hasResult() || System.nanoTime() - end > 0);
      return answer.hasResult();
    } finally {
      polls.stop();
    }
  }

  @Test
  void whatIsBelowItsMinimumIsRefused() {
    Map<String, String> least = new HashMap<>();
    least.put("monotick.http.timeout", "99ms");
    least.put("monotick.http.connect-timeout", "49ms");
    least.put("monotick.http.response-limit", "-1");
    least.put("monotick.http.redirects", "-1");
    least.put("monotick.callback.timeout", "999ms");
    least.put("monotick.remote.interval", "99ms");
    least.put("monotick.remote.retention", "9s");
    least.put("monotick.agents.silence", "999ms");
    least.put("monotick.agents.lease", "999ms");
    least.put("monotick.agents.health-interval", "99ms");
    least.put("monotick.agents.poll-interval", "19ms");
    least.put("monotick.agents.losses", "0");
    least.put("monotick.agents.pickup", "999ms");
    least.put("monotick.command.output-limit", "-1");

    assertThatThrownBy(() -> ServerSettings.read(name -> least.getOrDefault(name, "")))
        .satisfies(
            e ->
                assertThat(List.of(String.valueOf(e.getMessage()).split("\n", -1)))
                    .hasSize(least.size()));
  }
}
