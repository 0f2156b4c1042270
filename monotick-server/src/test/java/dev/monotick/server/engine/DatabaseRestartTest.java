package dev.monotick.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.postgres.embedded.EmbeddedPostgresBuilder;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.Receiver;
import dev.monotick.server.support.Work;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the server logs when its database is restarted. */
@Timeout(180)
class DatabaseRestartTest {

  /**
   * Three channels for notices, leadership, membership, claims, turns, rescue, notes and upkeep
   * warn once on each replica, about 24 times in all. A warning for each retry would be far more.
   */
  private static final int MOST_WARNINGS = 30;

  @TempDir private Path folder;

  @Test
  void lostConnectionsAreLinesAndNotStackTraces() {
    EmbeddedPostgres postgres = start(0);
    int port = postgres.port();
    CountDownLatch released = new CountDownLatch(1);
    try (Receiver receiver = new Receiver();
        Installation installation = installation(postgres)) {
      receiver.answers(call -> answerAfter(released));
      Api api = installation.start();
      installation.start();
      Eventually.until("there is a leader", () -> leads(api));
      Work.create(api, Work.http(receiver.url("/long")));
      Eventually.until("a long job runs", () -> !receiver.calls().isEmpty());
      List<String> lines;
      try (Console console = new Console()) {
        postgres.stop();
        Eventually.until(
            "both replicas are without membership",
            () -> console.count("membership lost, joining again") >= 2);
        postgres = start(port);
        Eventually.until(
            "both replicas are back", () -> console.count("joined replica=") >= 2 && leads(api));
        lines = console.lines();
      }
      assertThat(lines).filteredOn(line -> line.startsWith("\tat ")).isEmpty();
      assertThat(lines)
          .as("once for each replica, not for each retry, and with its cause")
          .filteredOn(line -> line.contains("heartbeat got no answer"))
          .hasSize(2)
          .allSatisfy(line -> assertThat(line).contains("cause="));
      assertThat(lines)
          .as("by the replica that runs the long job")
          .filteredOn(line -> line.contains("progress and log lines of jobs cannot be recorded"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("cause="));
      assertThat(lines)
          .as("warnings of two replicas on one restart, without those of pool and failed tasks")
          .filteredOn(line -> line.contains(" WARN ") || line.contains(" ERROR "))
          .filteredOn(line -> !line.contains("com.zaxxer.hikari"))
          .filteredOn(line -> !line.contains(" tick=") && !line.contains(" task="))
          .hasSizeLessThanOrEqualTo(MOST_WARNINGS);
    } finally {
      released.countDown();
      postgres.close();
    }
  }

  private static int answerAfter(CountDownLatch released) {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 200;
  }

  private EmbeddedPostgres start(int port) {
    EmbeddedPostgresBuilder builder = EmbeddedPostgres.builder().folder(folder.resolve("postgres"));
    return (port == 0 ? builder : builder.port(port)).start();
  }

  private static Installation installation(EmbeddedPostgres postgres) {
    return Installation.create()
        .with("monotick.database.url", postgres.url())
        .with("monotick.database.username", postgres.user())
        .with("monotick.database.password", postgres.password());
  }

  private static boolean leads(Api api) {
    Api.Answer answer = api.get("/v1/leadership");
    return answer.status() == 200 && answer.raw().body().contains("\"led\":true");
  }

  /** What is printed while this is open, which is what the server logs. */
  private static final class Console implements AutoCloseable {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream before = System.out;

    Console() {
      System.setOut(new PrintStream(new Both(before, printed), true, StandardCharsets.UTF_8));
    }

    List<String> lines() {
      return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    long count(String text) {
      return lines().stream().filter(line -> line.contains(text)).count();
    }

    @Override
    public void close() {
      System.setOut(before);
    }
  }

  private static final class Both extends OutputStream {

    private final OutputStream first;
    private final OutputStream second;

    Both(OutputStream first, OutputStream second) {
      this.first = first;
      this.second = second;
    }

    @Override
    public void write(int b) throws java.io.IOException {
      first.write(b);
      second.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws java.io.IOException {
      first.write(bytes, from, length);
      second.write(bytes, from, length);
    }
  }
}
