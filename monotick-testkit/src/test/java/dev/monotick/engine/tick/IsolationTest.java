package dev.monotick.engine.tick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.schedule.ExclusionCalendar;
import dev.monotick.schedule.Schedule;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.ManualScheduler;
import dev.monotick.testkit.fault.FaultyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What goes wrong in one place stops nothing in another. */
class IsolationTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final AtomicInteger runs = new AtomicInteger();

  private MonotickBuilder builder() {
    return Monotick.builder()
        .store(FaultyStore.to(InMemoryStore.builder().time(scheduler.time().timeSource()).build()))
        .time(scheduler.time().timeSource())
        .threads(scheduler.threads());
  }

  private Task healthy() {
    return Task.named("healthy")
        .every(Duration.ofSeconds(1))
        .mode(HaMode.ONE_REPLICA)
        .run(context -> runs.incrementAndGet());
  }

  private static Task on(Schedule schedule) {
    return Task.named("a-strange-one").schedule(schedule).mode(HaMode.ONE_REPLICA).run(c -> {});
  }

  @Test
  void tickInMillenniaStopsNoOther() {
    Monotick engine =
        builder()
            .task(on(Schedule.once(Instant.parse("9999-12-31T00:00:00Z"))))
            .task(healthy())
            .build();
    engine.start();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(runs).hasValue(10);
  }

  @Test
  void calendarThatThrowsStopsNoOther() {
    AtomicInteger asked = new AtomicInteger();
    ExclusionCalendar broken =
        ExclusionCalendar.matching(
            "broken",
            date -> {
              if (asked.incrementAndGet() > 20) {
                throw new IllegalStateException("no calendar today");
              }
              return false;
            });
    Schedule schedule = Schedule.every(Duration.ofSeconds(1)).except(broken);
    Monotick engine = builder().task(on(schedule)).task(healthy()).build();
    engine.start();
    scheduler.advance(Duration.ofSeconds(60));
    assertThat(asked.get()).as("it did throw").isGreaterThan(20);
    assertThat(runs).hasValue(60);
  }

  @Test
  void metricsThatThrowStopNothing() {
    MetricSink broken =
        new MetricSink() {
          @Override
          public void tickStarted(String task, Duration lateness) {
            throw new IllegalStateException("no registry today");
          }
        };
    Monotick engine = builder().metrics(broken).task(healthy()).build();
    engine.start();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(runs).hasValue(10);
  }
}
