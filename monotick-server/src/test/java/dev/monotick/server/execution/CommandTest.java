package dev.monotick.server.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that run real processes on the server. */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class CommandTest {

  private final Installation installation =
      Installation.create()
          .with("monotick.command.enabled", "true")
          .with("monotick.command.allow", "sh=/bin/sh,echo=/bin/echo,env=/usr/bin/env")
          .with("monotick.command.output-limit", "100")
          .with("monotick.quota.active-jobs", "unlimited");

  @BeforeAll
  void start() {
    installation.start();
  }

  @AfterAll
  void stop() {
    installation.close();
  }

  private Api.Answer create(Map<String, Object> spec) {
    return installation.api().post("/v1/jobs", spec);
  }

  private Job run(String command, List<String> args, Object... more) {
    Map<String, Object> spec =
        Api.json(
            "kind",
            "command",
            "payload",
            Api.json("command", command, "args", args, "env", Map.of("GIVEN", "1")),
            "maxAttempts",
            1);
    spec.putAll(Api.json(more));
    Api.Answer answer = create(spec);
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(201);
    String id = answer.text("id");
    Eventually.until("job ends", () -> job(id).state().isTerminal());
    return job(id);
  }

  private Job job(String id) {
    return installation.bean(0, Jobs.class).find(JobId.parse(id)).orElseThrow();
  }

  private static String result(Job job) {
    return new String(job.result().orElseThrow(), StandardCharsets.UTF_8);
  }

  private static String detail(Job job) {
    return job.attempts().get(job.attempts().size() - 1).detail().orElse("");
  }

  @Test
  void aCommandRunsWithoutAShell() {
    Job job = run("echo", List.of("$HOME; `id`", "&& x"));

    assertThat(job.state().name()).isEqualTo("SUCCEEDED");
    assertThat(result(job))
        .isEqualTo("{\"exitCode\":0,\"output\":\"$HOME; `id` && x\\n\",\"truncated\":false}");
  }

  @Test
  void itsEnvironmentIsNotTheServers() {
    assertThat(System.getenv("HOME")).as("what the server has").isNotNull();

    Job job = run("sh", List.of("-c", "echo $GIVEN $MONOTICK_JOB [$HOME]"));

    assertThat(result(job)).contains("1 " + job.id() + " []");
  }

  @Test
  void anExitCodeDecidesAndOutputIsCut() {
    Job failed = run("sh", List.of("-c", "echo no; exit 3"));
    assertThat(failed.state().name()).isEqualTo("DEAD");
    assertThat(detail(failed)).contains("exit code 3").contains("no");

    Job loud = run("sh", List.of("-c", "head -c 5000 /dev/zero | tr '\\0' x"));
    assertThat(result(loud)).contains("\"truncated\":true").contains("x".repeat(100));
    assertThat(result(loud)).hasSizeLessThan(200);
  }

  @Test
  void aTimeoutEndsItsChildrenToo(@TempDir Path folder) throws IOException {
    Path pid = folder.resolve("pid");

    Job job =
        run("sh", List.of("-c", "sleep 1000 & echo $! > " + pid + "; wait"), "timeout", "PT1S");

    assertThat(job.state().name()).isEqualTo("DEAD");
    assertThat(detail(job)).contains("timed out");
    long child = Long.parseLong(Files.readString(pid).strip());
    Eventually.until(
        "the child is gone",
        () -> ProcessHandle.of(child).map(each -> !each.isAlive()).orElse(true));
  }

  @Test
  void onlyListedCommandsRunAndOnlyIfSwitchedOn() {
    Api.Answer unlisted = create(Api.json("kind", "command", "payload", Api.json("command", "rm")));
    assertThat(unlisted.status()).isEqualTo(400);
    assertThat(unlisted.text("field")).isEqualTo("payload.command");

    try (Installation other = Installation.create().with("monotick.command.allow", "sh=/bin/sh")) {
      Api.Answer off =
          other
              .start()
              .post("/v1/jobs", Api.json("kind", "command", "payload", Api.json("command", "sh")));
      assertThat(off.status()).isEqualTo(400);
      assertThat(off.text("detail")).contains("MONOTICK_COMMAND_ENABLED");
      assertThat(
              other.api().post("/v1/secrets", Api.json("name", "a", "value", "b")).text("detail"))
          .contains("MONOTICK_SECRET_KEY");
      assertThat(
              other
                  .api()
                  .post(
                      "/v1/jobs",
                      Api.json(
                          "kind",
                          "http",
                          "payload",
                          Api.json("url", "http://a.example", "callback", true)))
                  .text("detail"))
          .contains("MONOTICK_PUBLIC_URL");
    }
  }
}
