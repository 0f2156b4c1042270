package dev.monotick.engine.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.error.StoreException;
import dev.monotick.internal.StoreFailures;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.SimulatedCluster;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** How failures of handlers, bodies and the store are logged. */
class FailureLogTest {

  private static final JobKind<String> MAIL = JobKind.named("mail", String.class);

  private final SimulatedCluster cluster = SimulatedCluster.builder().replicas(1).start();

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void failedJobIsLoggedWithItsStackTraceAsTasksAre() {
    IllegalStateException broken = new IllegalStateException("broken");
    cluster
        .replica(0)
        .handle(
            MAIL,
            job -> {
              throw broken;
            });
    try (CapturedLog log = CapturedLog.open()) {
      cluster.replica(0).jobs().enqueue(MAIL.of("a"));
      cluster.advance(Duration.ofMillis(900));
      assertThat(log.thrown()).containsExactly(broken);
      assertThat(log.lines(Level.WARN, "failed job=")).hasSize(1);
    }
  }

  @Test
  void jobThatReturnsAFailureIsOneLine() {
    cluster.replica(0).handle(MAIL, job -> JobOutcome.fail("no such address"));
    try (CapturedLog log = CapturedLog.open()) {
      cluster.replica(0).jobs().enqueue(MAIL.of("a"));
      cluster.advance(Duration.ofMillis(900));
      assertThat(log.thrown()).isEmpty();
      assertThat(log.lines(Level.WARN, "failed job="))
          .singleElement()
          .satisfies(line -> assertThat(line).endsWith("reason=no such address"));
    }
  }

  @Test
  void handlerThatLostItsDatabaseIsOneLine() {
    cluster
        .replica(0)
        .handle(
            MAIL,
            job -> {
              throw new IllegalStateException(
                  "cannot save", new SQLException("connection refused", "08001"));
            });
    try (CapturedLog log = CapturedLog.open()) {
      cluster.replica(0).jobs().enqueue(MAIL.of("a"));
      cluster.advance(Duration.ofMillis(900));
      assertThat(log.thrown()).isEmpty();
      assertThat(log.lines(Level.WARN, "failed, the database gave no answer job="))
          .singleElement()
          .satisfies(
              line ->
                  assertThat(line)
                      .endsWith(
                          "cause=IllegalStateException: cannot save, because SQLException:"
                              + " connection refused"));
    }
  }

  @Test
  void connectionsThatAreLostAreToldFromOtherFailures() {
    assertThat(
            List.of(
                new SQLException("x", "08006"),
                new SQLException("x", "57P03"),
                new SQLTransientConnectionException("no connection is available"),
                new SQLException("Connection is closed"),
                new IllegalStateException(new StoreException("no answer"))))
        .allSatisfy(failure -> assertThat(StoreFailures.isLostConnection(failure)).isTrue());
    assertThat(
            List.of(
                new SQLException("no such table", "42P01"),
                new SQLException("broken"),
                new IllegalStateException("broken")))
        .allSatisfy(failure -> assertThat(StoreFailures.isLostConnection(failure)).isFalse());
  }

  @Test
  void bodyThatLostItsDatabaseIsOneLineAndOtherFailuresKeepTheirTrace() {
    RuntimeException broken = new IllegalArgumentException("broken");
    cluster.register(
        0,
        Task.named("lost")
            .every(Duration.ofMinutes(1))
            .mode(HaMode.EVERY_REPLICA)
            .run(
                context -> {
                  throw new SQLException("terminating connection", "57P01");
                }));
    cluster.register(
        0,
        Task.named("broken")
            .every(Duration.ofMinutes(1))
            .mode(HaMode.EVERY_REPLICA)
            .run(
                context -> {
                  throw broken;
                }));
    try (CapturedLog log = CapturedLog.open()) {
      cluster.advance(Duration.ofSeconds(61));
      assertThat(log.thrown()).containsExactly(broken);
      assertThat(log.lines(Level.WARN, "failed, the database gave no answer tick=")).hasSize(1);
    }
  }

  @Test
  void storeThatDoesNotAnswerIsLinesWithTheirCauseAndNoStackTraces() {
    cluster.replica(0).handle(MAIL, job -> JobOutcome.done());
    cluster.register(
        0, Task.named("t").every(Duration.ofSeconds(1)).mode(HaMode.LEADER).run(context -> {}));
    cluster.advance(Duration.ofSeconds(5));
    try (CapturedLog log = CapturedLog.open()) {
      cluster.partition(0);
      cluster.advance(Duration.ofMinutes(2));
      cluster.heal(0);
      cluster.advance(Duration.ofSeconds(30));
      assertThat(log.thrown()).isEmpty();
      assertThat(log.lines(Level.WARN, "heartbeat got no answer"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains(" cause="));
      assertThat(log.lines(Level.WARN, "renewal got no answer")).hasSizeLessThanOrEqualTo(1);
      assertThat(log.lines(Level.WARN, "claim of jobs got no answer")).hasSizeLessThanOrEqualTo(1);
      assertThat(log.lines(Level.WARN, "completion of jobs got no answer"))
          .hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void notesOfALongJobThatGetNoAnswerAreOneLine() {
    cluster
        .replica(0)
        .handle(
            MAIL,
            job -> {
              job.progress(0.5, "half way");
              job.sleep(Duration.ofSeconds(2));
              cluster.partition(0);
              job.sleep(Duration.ofSeconds(3));
              cluster.heal(0);
              return JobOutcome.done();
            });
    try (CapturedLog log = CapturedLog.open()) {
      cluster.replica(0).jobs().enqueue(MAIL.of("a"));
      cluster.advance(Duration.ofSeconds(20));
      assertThat(log.lines(Level.WARN, "progress and log lines of jobs cannot be recorded"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains(" cause="));
      assertThat(log.thrown()).isEmpty();
    }
  }
}
