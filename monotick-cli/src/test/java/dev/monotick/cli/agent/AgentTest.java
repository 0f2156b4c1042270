package dev.monotick.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent with real processes, against a control plane that answers as it is told. */
class AgentTest {

  private final FakeControlPlane plane = new FakeControlPlane();
  private final StopSignal stop = new StopSignal();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private CompletableFuture<Void> agent = CompletableFuture.completedFuture(null);

  @AfterEach
  void end() {
    stop.request();
    threads.shutdown();
    plane.close();
  }

  private void start(Duration grace) {
    AgentOptions options =
        new AgentOptions(
            plane.url(),
            "mt_a_b",
            "tester",
            Map.of("os", "linux"),
            AgentOptions.commands(List.of("sh=/bin/sh -c")),
            2,
            grace);
    agent =
        CompletableFuture.runAsync(
            () -> {
              try {
                new Agent(options, stop, line -> {}).run();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            threads);
  }

  private static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("not in time: " + what).isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static String shell(String script) {
    return "{\"command\":\"sh\",\"args\":[\"" + script + "\"],\"env\":{\"A\":\"b\"}}";
  }

  @Test
  void aCommandIsRunAndToldOf() {
    plane.offer("w:1", shell("echo $A $MONOTICK_JOB; echo two; exit 0"), "PT1M");
    start(Duration.ofSeconds(1));

    until("a result", () -> !plane.said("result").isEmpty());
    FakeControlPlane.Said result = plane.said("result").get(0);
    assertThat(result.text("outcome")).isEqualTo("SUCCEEDED");
    assertThat(result.text("lease")).isEqualTo("w:1");
    assertThat(result.text("output")).isEqualTo("b 7\ntwo\n");
    assertThat(plane.said("log").get(0).body().path("lines").toString())
        .isEqualTo("[\"b 7\",\"two\"]");
    assertThat(plane.said("register").get(0).body().toString())
        .contains("\"name\":\"tester\"")
        .contains("\"os\":\"linux\"")
        .contains("\"capabilities\":[\"sh\"]");
  }

  @Test
  void whatFailsTimesOutOrIsNotOnTheListIsToldSo() {
    plane.offer("w:1", shell("echo no; exit 4"), "PT1M");
    plane.offer("w:2", "{\"command\":\"rm\",\"args\":[\"-rf\"]}", "PT1M");
    plane.offer("w:3", shell("sleep 1000"), "PT0.3S");
    plane.offer("w:4", "{\"type\":\"scan\"}", "PT1M");
    start(Duration.ofSeconds(1));

    until("four results", () -> plane.said("result").size() == 4);
    assertThat(result("w:1").text("outcome")).isEqualTo("FAILED");
    assertThat(result("w:1").body().path("exitCode").asInt()).isEqualTo(4);
    assertThat(result("w:2").text("error")).contains("does not know the command \"rm\"");
    assertThat(result("w:2").body().path("permanent").asBoolean()).isTrue();
    assertThat(result("w:3").text("error")).contains("timed out");
    assertThat(result("w:4").text("error")).contains("type \"scan\"");
  }

  private FakeControlPlane.Said result(String lease) {
    return plane.said("result").stream()
        .filter(each -> each.text("lease").equals(lease))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aLostLeaseEndsItsCommand(@TempDir Path folder) throws IOException {
    Path pid = folder.resolve("pid");
    plane.offer("w:1", shell("echo $$ > " + pid + "; sleep 1000"), "PT1H");
    plane.forgetsLeases();
    start(Duration.ofSeconds(1));

    until("it ran", () -> isWritten(pid));
    until("it was ended", () -> !isAlive(pid));
    assertThat(plane.said("result")).isEmpty();
  }

  @Test
  void withoutTheServerACommandEndsWithItsLease(@TempDir Path folder) throws IOException {
    Path pid = folder.resolve("pid");
    plane.offer("w:1", shell("echo $$ > " + pid + "; sleep 1000"), "PT1H");
    start(Duration.ofSeconds(1));
    until("it ran", () -> isWritten(pid));
    until("a heartbeat", () -> !plane.said("heartbeat").isEmpty());

    plane.isAway(true);

    until("it was ended", () -> !isAlive(pid));
    plane.isAway(false);
    int polls = plane.said("poll").size();
    until("it asks again", () -> plane.said("poll").size() > polls);
  }

  @Test
  void whenStoppedItFinishesOrHandsBack(@TempDir Path folder) throws Exception {
    Path pid = folder.resolve("pid");
    plane.offer("w:1", shell("sleep 0.7; echo done"), "PT1H");
    plane.offer("w:2", shell("echo $$ > " + pid + "; sleep 1000"), "PT1H");
    start(Duration.ofSeconds(2));
    until("both run", () -> isWritten(pid));

    stop.request();
    agent.get();

    assertThat(result("w:1").text("outcome")).isEqualTo("SUCCEEDED");
    assertThat(result("w:2").text("outcome")).isEqualTo("HANDED_BACK");
    until("it was ended", () -> !isAlive(pid));
  }

  @Test
  void itWaitsForAServerThatIsAwayButNotForOneThatRefuses() {
    plane.isAway(true);
    start(Duration.ofSeconds(1));
    assertThat(agent).isNotDone();
    plane.isAway(false);
    until("it is let in", () -> !plane.said("poll").isEmpty());

    plane.refusesWith(401);
    assertThatThrownBy(agent::get).hasMessageContaining("401");
  }

  @Test
  void onlyExecutablesCanBeAllowed() {
    assertThatThrownBy(() -> AgentOptions.commands(List.of("x=relative/path")))
        .hasMessageContaining("--allow");
    assertThatThrownBy(() -> AgentOptions.commands(List.of("x=/no/such/file")))
        .hasMessageContaining("--allow");
    assertThatThrownBy(() -> AgentOptions.commands(List.of("/bin/sh")))
        .hasMessageContaining("--allow");
  }

  private static boolean isWritten(Path pid) {
    try {
      return Files.exists(pid) && !Files.readString(pid).isBlank();
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isAlive(Path pid) {
    try {
      return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
          .map(ProcessHandle::isAlive)
          .orElse(false);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
