package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.event.MonotickEvent;
import dev.monotick.event.MonotickEvent.TaskBackingOff;
import dev.monotick.event.MonotickEvent.TaskPaused;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBody;
import dev.monotick.task.TaskBuilder;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import dev.monotick.testkit.SimulatedCluster.Run;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class FailureBackoffTest {

  private static final Instant START = FakeTime.START;

  private static SimulatedCluster cluster(
      int replicas, HaMode mode, UnaryOperator<TaskBuilder> more, TaskBody body) {
    return SimulatedCluster.builder()
        .replicas(replicas)
        .task(r -> more.apply(Task.named("t").every(Duration.ofSeconds(1)).mode(mode)).run(body))
        .start();
  }

  private static void fail() {
    throw new IllegalStateException("no luck");
  }

  @ParameterizedTest
  @EnumSource
  void loopGoesOnWithGrowingPausesUpToFifteenMinutes(HaMode mode) {
    try (var cluster = cluster(1, mode, t -> t, c -> fail())) {
      cluster.advance(Duration.ofHours(3));
      List<Instant> started = Rows.started(cluster, "t");
      Duration last = Duration.ZERO;
      for (int i = 1; i < started.size(); i++) {
        Duration pause = Duration.between(started.get(i - 1), started.get(i));
        assertThat(pause).as("pause " + i).isLessThanOrEqualTo(Duration.ofSeconds(991));
        if (i < 10) {
          assertThat(pause).as("pause " + i).isGreaterThan(last);
        }
        last = pause;
      }
      assertThat(last).isGreaterThanOrEqualTo(Duration.ofMinutes(15));
      assertThat(started.size()).isBetween(15, 30);
    }
  }

  @Test
  void ticksInTheBackoffAreRecordedAsSkipped() {
    try (var cluster = cluster(1, HaMode.ONE_REPLICA, t -> t, c -> fail())) {
      cluster.advance(Duration.ofSeconds(100));
      long recorded = Rows.total(cluster, "t");
      assertThat(Rows.skipped(cluster, "t", SkipReason.BACKOFF)).isGreaterThan(50);
      assertThat(
              Rows.skipped(cluster, "t", SkipReason.BACKOFF)
                  + Rows.count(cluster, "t", Outcome.FAILED))
          .isEqualTo(recorded);
      assertThat(Rows.of(cluster, "t").get(0).detail()).contains("no luck");
    }
  }

  @Test
  void successEndsTheBackoff() {
    AtomicBoolean broken = new AtomicBoolean(true);
    try (var cluster =
        cluster(
            1,
            HaMode.ONE_REPLICA,
            t -> t,
            c -> {
              if (broken.get()) {
                fail();
              }
            })) {
      cluster.advance(Duration.ofSeconds(20));
      var status = cluster.replica(0).tasks().get(0);
      assertThat(status.failures()).isBetween(3, 6);
      assertThat(status.backoffUntil()).isAfter(cluster.scheduler().time().now());
      broken.set(false);
      cluster.advance(Duration.ofSeconds(20));
      int before = cluster.runs().size();
      cluster.advance(Duration.ofSeconds(10));
      assertThat(cluster.runs()).hasSize(before + 10);
      status = cluster.replica(0).tasks().get(0);
      assertThat(status.failures()).isZero();
      assertThat(status.backoffUntil()).isNull();
      assertThat(status.lastOutcome()).contains(Outcome.SUCCEEDED);
    }
  }

  @Test
  void listenersAreToldOfEachBackoffAndOfThePause() {
    List<MonotickEvent> events = new ArrayList<>();
    try (var cluster = cluster(1, HaMode.LEADER, t -> t.pauseAfterFailures(3), c -> fail())) {
      cluster.replica(0).subscribe(events::add);
      cluster.advance(Duration.ofMinutes(5));
      assertThat(events.stream().filter(TaskBackingOff.class::isInstance))
          .extracting(e -> ((TaskBackingOff) e).failures())
          .containsExactly(1, 2);
      assertThat(events.stream().filter(TaskPaused.class::isInstance))
          .containsExactly(new TaskPaused("t", "monotick", "3 failures in a row"));
      assertThat(cluster.runs()).hasSize(3);
      assertThat(cluster.replica(0).tasks().get(0).paused()).isEqualTo("3 failures in a row");
      cluster.replica(0).resume("t");
      cluster.advance(Duration.ofSeconds(1));
      assertThat(cluster.runs()).hasSize(4);
      assertThat(Rows.skipped(cluster, "t", SkipReason.PAUSED)).isGreaterThan(200);
    }
  }

  @Test
  void failuresAreCountedForTheCluster() {
    try (var cluster = cluster(3, HaMode.ONE_REPLICA, t -> t.pauseAfterFailures(6), c -> fail())) {
      cluster.advance(Duration.ofMinutes(10));
      assertThat(cluster.runs()).hasSize(6);
      assertThat(cluster.runs().stream().map(Run::replica).distinct().count()).isGreaterThan(1);
      cluster.replica(2).resume("t");
      cluster.advance(Duration.ofSeconds(2));
      assertThat(cluster.runs()).hasSize(7);
    }
  }

  static Stream<Throwable> throwables() {
    return Stream.of(
        new StackOverflowError(),
        new AssertionError("no"),
        new OutOfMemoryError("not really"),
        new InterruptedException("by itself"),
        new Exception() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("even the message fails");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void whateverIsThrownIsAFailureAndTheLoopGoesOn(Throwable thrown) {
    try (var cluster =
        cluster(
            1,
            HaMode.ONE_REPLICA,
            t -> t.backoff(Backoff.none()),
            c -> FailureBackoffTest.<RuntimeException>sneak(thrown))) {
      cluster.advance(Duration.ofSeconds(5));
      assertThat(Rows.count(cluster, "t", Outcome.FAILED)).isEqualTo(5);
      assertThat(Rows.of(cluster, "t").get(0).detail()).contains(thrown.getClass().getName());
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void failureInTheMiddleOfABacklogDelaysTheRestAndLosesNothing() {
    try (var cluster =
        SimulatedCluster.builder()
            .replicas(1)
            .task(
                r ->
                    Task.named("t")
                        .every(Duration.ofHours(1))
                        .mode(HaMode.ONE_REPLICA)
                        .catchUp(CatchUp.all(10))
                        .run(
                            c -> {
                              if (c.nominalTime().equals(START.plus(Duration.ofHours(2)))) {
                                fail();
                              }
                            }))
            .start()) {
      cluster.advance(Duration.ofMinutes(30));
      cluster.crash(0);
      cluster.advance(Duration.ofHours(5));
      cluster.restart(0);
      cluster.advance(Duration.ofSeconds(10));
      assertThat(Rows.count(cluster, "t", Outcome.FAILED)).isEqualTo(1);
      assertThat(Rows.count(cluster, "t", Outcome.SUCCEEDED)).isEqualTo(4);
    }
  }
}
