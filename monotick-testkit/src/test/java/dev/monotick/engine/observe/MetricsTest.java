package dev.monotick.engine.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.leader.Fence;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MetricsTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();
  private final List<String> figures = new ArrayList<>();

  private final MetricSink sink =
      new MetricSink() {
        @Override
        public void taskRegistered(String task) {
          figures.add("registered " + task);
        }

        @Override
        public void tickStarted(String task, Duration lateness) {
          figures.add("started " + task + " late " + lateness);
        }

        @Override
        public void tickEnded(String task, Outcome outcome, Duration duration, Instant at) {
          figures.add("ended " + task + " " + outcome + " after " + duration + " at " + at);
        }

        @Override
        public void ticksNotRun(
            String task, Outcome outcome, @Nullable SkipReason reason, long count) {
          figures.add("not run " + task + " " + outcome + " " + reason + " " + count);
        }

        @Override
        public void tickLeftToLeader(String task) {
          figures.add("left " + task);
        }

        @Override
        public void refusedByFence(String task) {
          figures.add("fenced " + task);
        }

        @Override
        public void leadership(String group, boolean leader, @Nullable Fence fence) {
          figures.add("leader " + group + " " + leader + " " + fence);
        }
      };

  private Monotick engine(long id, Task... tasks) {
    var builder =
        Monotick.builder()
            .store(store)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .replicaId(new MemberId(new UUID(id, id)))
            .metrics(id == 1 ? sink : MetricSink.none());
    for (Task task : tasks) {
      builder.task(task);
    }
    Monotick engine = builder.build();
    engine.start();
    return engine;
  }

  @Test
  void successWithDurationLatenessAndTime() {
    engine(
        1,
        Task.named("t")
            .every(Duration.ofMinutes(1))
            .mode(HaMode.ONE_REPLICA)
            .run(c -> c.sleep(Duration.ofSeconds(3))));
    scheduler.advance(Duration.ofSeconds(70));
    assertThat(figures)
        .containsExactly(
            "registered t",
            "started t late PT0S",
            "ended t SUCCEEDED after PT3S at " + FakeTime.START.plusSeconds(63));
  }

  @Test
  void latenessIsHowLongAfterItWasDue() {
    engine(
        1,
        Task.named("t").cron("30 * * * *").runAtStart(true).mode(HaMode.ONE_REPLICA).run(c -> {}));
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(figures).contains("started t late PT30M");
  }

  @Test
  void failuresTimeoutsSkipsAndMisses() {
    Task failing =
        Task.named("failing")
            .every(Duration.ofSeconds(1))
            .mode(HaMode.ONE_REPLICA)
            .backoff(new Backoff(Duration.ofSeconds(3), Duration.ofSeconds(3)))
            .run(
                c -> {
                  throw new IllegalStateException("no");
                });
    Task slow =
        Task.named("slow")
            .every(Duration.ofSeconds(2))
            .mode(HaMode.ONE_REPLICA)
            .timeout(Duration.ofSeconds(3))
            .backoff(Backoff.none())
            .catchUp(CatchUp.none())
            .run(c -> c.sleep(Duration.ofSeconds(10)));
    Monotick engine = engine(1, failing, slow);
    scheduler.advance(Duration.ofSeconds(12));
    assertThat(figures)
        .anyMatch(figure -> figure.startsWith("ended failing FAILED"))
        .anyMatch(figure -> figure.startsWith("not run failing SKIPPED BACKOFF"))
        .anyMatch(figure -> figure.startsWith("ended slow TIMED_OUT"))
        .contains("not run slow SKIPPED OVERLAP 1");
    engine.pause("slow", "ann", "test");
    scheduler.advance(Duration.ofSeconds(20));
    engine.resume("slow");
    scheduler.time().jumpWallClock(Duration.ofMinutes(1));
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(figures)
        .anyMatch(figure -> figure.startsWith("not run slow SKIPPED PAUSED"))
        .anyMatch(figure -> figure.startsWith("not run slow MISSED null"));
  }

  @Test
  void leadershipFencesAndWhatIsLeftToTheLeader() {
    Task task = Task.named("t").every(Duration.ofMinutes(1)).mode(HaMode.LEADER).run(c -> {});
    engine(1, task);
    scheduler.advance(Duration.ofSeconds(10));
    engine(2, task);
    scheduler.advance(Duration.ofSeconds(40));
    assertThat(figures).contains("leader default true 1.1");
    store.ledger().mintFence("default", new MemberId(new UUID(7, 7)));
    scheduler.advance(Duration.ofSeconds(20));
    assertThat(figures).contains("fenced t", "leader default false null");
    scheduler.advance(Duration.ofMinutes(2));
    assertThat(figures).contains("left t");
  }
}
