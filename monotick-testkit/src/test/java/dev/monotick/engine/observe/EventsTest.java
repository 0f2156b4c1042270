package dev.monotick.engine.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.event.EventListener;
import dev.monotick.event.MonotickEvent;
import dev.monotick.event.MonotickEvent.TickEnded;
import dev.monotick.event.MonotickEvent.TickStarted;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.testkit.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventsTest {

  private static Task everySecond() {
    return Task.named("t").every(Duration.ofSeconds(1)).mode(HaMode.ONE_REPLICA).run(c -> {});
  }

  @Test
  void listenerIsToldInOrderUntilItUnsubscribes() {
    List<MonotickEvent> events = new ArrayList<>();
    try (var cluster = SimulatedCluster.builder().replicas(1).task(r -> everySecond()).start()) {
      EventListener.Subscription subscription = cluster.replica(0).subscribe(events::add);
      cluster.advance(Duration.ofMillis(2_500));
      assertThat(events)
          .extracting(e -> e.getClass().getSimpleName())
          .containsExactly("TickStarted", "TickEnded", "TickStarted", "TickEnded");
      assertThat(((TickStarted) events.get(2)).tick())
          .isEqualTo(((TickEnded) events.get(3)).tick());
      subscription.close();
      subscription.close();
      cluster.advance(Duration.ofSeconds(5));
      assertThat(events).hasSize(4);
    }
  }

  @Test
  void slowListenerHoldsUpNeitherTheEngineNorOthersAndLosesNothing() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(50);
    CountDownLatch seenByOther = new CountDownLatch(50);
    CountDownLatch seenBySlow = new CountDownLatch(50);
    try (Monotick engine = localEngine(ran)) {
      engine.subscribe(
          (MonotickEvent event) -> {
            awaitQuietly(release);
            count(event, seenBySlow);
          });
      engine.subscribe((MonotickEvent event) -> count(event, seenByOther));
      engine.start();
      ran.await();
      seenByOther.await();
      assertThat(seenBySlow.getCount()).isEqualTo(50);
      release.countDown();
      seenBySlow.await();
    }
  }

  @Test
  void listenerThatThrowsAnErrorStillGetsTheNextEvent() throws Exception {
    CountDownLatch told = new CountDownLatch(3);
    try (Monotick engine = localEngine(new CountDownLatch(1))) {
      engine.subscribe(
          (MonotickEvent event) -> {
            told.countDown();
            throw new AssertionError("a listener's own");
          });
      engine.start();
      told.await();
    }
  }

  private static Monotick localEngine(CountDownLatch ran) {
    return Monotick.builder()
        .store(InMemoryStore.create())
        .task(
            Task.named("t")
                .every(Duration.ofMillis(5))
                .mode(HaMode.EVERY_REPLICA)
                .run(c -> ran.countDown()))
        .build();
  }

  private static void count(MonotickEvent event, CountDownLatch latch) {
    if (event instanceof TickStarted) {
      latch.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
