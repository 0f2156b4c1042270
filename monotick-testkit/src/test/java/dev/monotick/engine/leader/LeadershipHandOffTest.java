package dev.monotick.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.event.MonotickEvent;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeadershipHandOffTest {

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryStore store =
      InMemoryStore.builder().time(scheduler.time().timeSource()).build();

  private Monotick engine(Task... tasks) {
    Monotick engine =
        Monotick.builder()
            .store(store)
            .time(scheduler.time().timeSource())
            .threads(scheduler.threads())
            .build();
    List.of(tasks).forEach(engine::register);
    return engine;
  }

  private static Task led() {
    return Task.named("led").every(Duration.ofSeconds(1)).mode(HaMode.LEADER).run(c -> {});
  }

  @Test
  void leadershipDoesNotWaitForBodiesThatAreNotItsOwn() {
    List<Monotick> engines = new ArrayList<>();
    List<Boolean> otherLed = new ArrayList<>();
    Task slow =
        Task.named("slow")
            .every(Duration.ofSeconds(5))
            .mode(HaMode.EVERY_REPLICA)
            .run(
                context -> {
                  if (otherLed.isEmpty() && engines.get(0).leadership("default").isPresent()) {
                    otherLed.add(false);
                    engines.get(0).stop(Duration.ofSeconds(10)); // waits for this very body
                  }
                });
    engines.add(engine(led(), slow));
    engines.add(engine(led()));
    engines.get(0).start();
    scheduler.advance(Duration.ofSeconds(1));
    engines.get(1).start();
    engines
        .get(1)
        .subscribe(
            (MonotickEvent event) -> {
              if (event instanceof MonotickEvent.LeadershipGained) {
                otherLed.add(engines.get(1).leadership("default").isPresent());
              }
            });
    scheduler.advance(Duration.ofSeconds(4));
    assertThat(otherLed).as("the other led while the first still waited").contains(true);
    assertThat(engines.get(1).leadership("default")).isPresent();
  }

  @Test
  void failedWorkInSlotIsToldToListeners() {
    List<MonotickEvent> failures = new ArrayList<>();
    Task shared =
        Task.named("shared")
            .every(Duration.ofSeconds(1))
            .mode(HaMode.SHARED)
            .slots(2)
            .run(
                context ->
                    context.runInSlot(
                        work -> {
                          throw new IllegalStateException("no paper");
                        }));
    Monotick engine = engine(shared);
    engine.subscribe(
        (MonotickEvent event) -> {
          if (event instanceof MonotickEvent.SlotWorkFailed) {
            failures.add(event);
          }
        });
    engine.start();
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(failures).hasSize(1).first().asString().contains("no paper");
  }
}
