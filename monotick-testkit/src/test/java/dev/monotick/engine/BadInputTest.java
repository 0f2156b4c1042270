package dev.monotick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.monotick.Monotick;
import dev.monotick.leader.LeadershipMode;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskBuilder;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each refusal names the option, the value and the remedy. */
@SuppressWarnings("NullAway") // nulls are passed on purpose, and fields set before each test
class BadInputTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static TaskBuilder task() {
    return unscheduled().every(MINUTE);
  }

  private static TaskBuilder unscheduled() {
    return Task.named("t").mode(HaMode.ONE_REPLICA);
  }

  private static void refused(ThrowingCallable code, String... parts) {
    Throwable refusal = catchThrowable(code);
    assertThat(refusal).isInstanceOf(IllegalArgumentException.class);
    assertThat(refusal.getMessage()).contains(parts);
  }

  @Test
  void names() {
    for (String name : new String[] {"", " ", "a b", "-a", "ä", "a".repeat(201)}) {
      refused(
          () -> Task.named(name).mode(HaMode.LEADER).every(MINUTE).run(c -> {}),
          "task name",
          "\"" + name + "\"",
          "rename it");
    }
    refused(
        () -> Task.named(null).mode(HaMode.LEADER).every(MINUTE).run(c -> {}),
        "task name",
        "null",
        "rename it");
    refused(
        () -> task().mode(HaMode.LEADER).group("a b").run(c -> {}), "group", "\"a b\"", "rename");
  }

  @Test
  void duplicateNames() {
    refused(
        () ->
            Monotick.builder()
                .store(InMemoryStore.create())
                .task(task().run(c -> {}))
                .task(task().run(c -> {}))
                .build(),
        "\"t\" is taken",
        "choose another");
  }

  @Test
  void intervals() {
    refused(() -> task().every(Duration.ZERO), "interval", "PT0S", ";");
    refused(() -> task().every(Duration.ofSeconds(-5)), "interval", "PT-5S", ";");
    refused(() -> task().every(Duration.ofNanos(1_500_000)), "interval", "PT0.0015S", ";");
    refused(() -> task().every(Duration.ofSeconds(Long.MAX_VALUE)), "interval", ";");
    refused(() -> task().fixedDelay(Duration.ZERO), "delay", "PT0S", ";");
    refused(() -> task().fixedDelay(Duration.ofSeconds(Long.MAX_VALUE)), "delay", ";");
  }

  @Test
  void cron() {
    refused(() -> task().cron("0 0 30 2 *"), "0 0 30 2 *");
    refused(() -> task().cron("61 * * * *"), "61");
    refused(() -> task().cron(""), "expression is empty", "allowed are 5 fields");
  }

  @Test
  void missingOptions() {
    refused(() -> task().run(null), "task t", "body", "run(context -> ...)");
    refused(
        () -> Task.named("t").every(MINUTE).run(c -> {}),
        "task t",
        "mode is missing",
        "EVERY_REPLICA, LEADER, ONE_REPLICA, SHARED");
    refused(
        () -> Task.named("t").mode(HaMode.LEADER).run(c -> {}), "schedule is missing", "every(..)");
    refused(() -> task().mode(null).run(c -> {}), "mode is missing");
    refused(() -> unscheduled().schedule(null).run(c -> {}), "schedule is missing");
    refused(() -> task().effect(null).run(c -> {}), "effect is missing", "AT_MOST_ONCE");
    refused(() -> task().overlap(null).run(c -> {}), "overlap is missing", "SKIP");
    refused(() -> task().catchUp(null).run(c -> {}), "catchUp is missing", "24 hours");
    refused(() -> task().timeout(null).run(c -> {}), "timeout is missing", "two minutes");
    refused(() -> task().backoff(null).run(c -> {}), "backoff is missing", "15 minutes");
    refused(() -> task().jitter(null).run(c -> {}), "jitter is missing", "none");
    refused(() -> task().group(null).run(c -> {}), "group", "null");
    refused(() -> Monotick.builder().build(), "store is missing", "InMemoryStore.create()");
  }

  @Test
  void ranges() {
    refused(
        () -> task().timeout(Duration.ofHours(25)).run(c -> {}), "timeout", "PT25H", "PT24H", ";");
    refused(() -> task().timeout(Duration.ZERO).run(c -> {}), "timeout", "PT0S", ";");
    refused(() -> task().timeout(Duration.ofSeconds(-1)).run(c -> {}), "timeout", "PT-1S", ";");
    refused(() -> task().jitter(MINUTE).run(c -> {}), "jitter", "PT1M", "shorten it");
    refused(() -> task().jitter(Duration.ofHours(2)).run(c -> {}), "jitter", "PT2H", "shorten");
    refused(() -> task().jitter(Duration.ofMillis(-1)).run(c -> {}), "jitter", "PT-0.001S", ";");
    refused(() -> task().pauseAfterFailures(-1).run(c -> {}), "pauseAfterFailures", "-1", "0");
    refused(() -> task().mode(HaMode.SHARED).slots(0).run(c -> {}), "slots", "0", ";");
    refused(() -> CatchUp.all(0), "catchUp maximum", "0", "CatchUp.none()");
    refused(() -> CatchUp.latestWithin(Duration.ofSeconds(1)), "catchUp window", "PT1S", ";");
    refused(
        () -> CatchUp.latestWithin(Duration.ofSeconds(Long.MAX_VALUE)),
        "catchUp window",
        "CatchUp.all(..)");
    refused(() -> new Backoff(Duration.ZERO, MINUTE), "backoff initial", "Backoff.none()");
    refused(() -> new Backoff(MINUTE, Duration.ofSeconds(1)), "backoff cap", "PT1S", "PT1M");
    refused(() -> new Backoff(MINUTE, Duration.ofDays(8)), "backoff cap", "PT192H");
  }

  @Test
  void contradictions() {
    refused(() -> task().group("g").run(c -> {}), "group g", "ONE_REPLICA", "use mode LEADER");
    refused(() -> task().slots(3).run(c -> {}), "slots 3", "ONE_REPLICA", "use mode SHARED");
    refused(
        () -> task().mode(HaMode.SHARED).overlap(Overlap.ALLOW).run(c -> {}),
        "overlap ALLOW",
        "SHARED",
        "leave the overlap out");
    refused(
        () -> task().mode(HaMode.EVERY_REPLICA).effect(Effect.AT_LEAST_ONCE).run(c -> {}),
        "effect AT_LEAST_ONCE",
        "EVERY_REPLICA",
        "leave the effect out");
    refused(
        () -> task().overlap(Overlap.CANCEL_PREVIOUS).catchUp(CatchUp.all(3)).run(c -> {}),
        "catchUp",
        "3",
        "CANCEL_PREVIOUS",
        "latestWithin");
    refused(
        () -> unscheduled().fixedDelay(MINUTE).overlap(Overlap.QUEUE_ONE).run(c -> {}),
        "overlap QUEUE_ONE",
        "fixed delay",
        "leave the overlap out");
    refused(
        () -> unscheduled().fixedDelay(MINUTE).catchUp(CatchUp.all(3)).run(c -> {}),
        "catchUp",
        "fixed delay",
        "leave the catchUp out");
    refused(
        () ->
            Monotick.builder()
                .store(InMemoryStore.create())
                .task(task().effect(Effect.TRANSACTIONAL).run(c -> {}))
                .build(),
        "task t",
        "effect TRANSACTIONAL",
        "choose one of these or another store");
    refused(
        () ->
            Monotick.builder()
                .store(InMemoryStore.create())
                .leadership(LeadershipMode.SINGLE_REPLICA)
                .dangerouslyRunLeaderTasksOnEveryReplica()
                .build(),
        "dangerouslyRunLeaderTasksOnEveryReplica",
        "SINGLE_REPLICA",
        "leave one of them out");
    refused(
        () -> Monotick.builder().store(InMemoryStore.create()).replicaName(" ").build(),
        "replicaName",
        "\" \"",
        "choose another");
  }
}
