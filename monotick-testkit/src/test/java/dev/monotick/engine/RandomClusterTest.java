package dev.monotick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.LeaderTerm;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.task.Backoff;
import dev.monotick.task.Effect;
import dev.monotick.task.HaMode;
import dev.monotick.task.Overlap;
import dev.monotick.task.Task;
import dev.monotick.task.TaskContext;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.SimulatedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole clusters under random faults, in virtual time. More seeds: {@code -Dmonotick.seeds=1000},
 * one of them again: {@code -Dmonotick.seed=17}, longer runs: {@code -Dmonotick.steps=20000}.
 */
@Tag("thorough")
@Timeout(300)
class RandomClusterTest {

  private static final int REPLICAS = 3;
  private static final int STEPS = Integer.getInteger("monotick.steps", 2_000);
  private static final Map<Outcome, Long> SEEN = new EnumMap<>(Outcome.class);
  private static long repeated;

  static LongStream seeds() {
    Long one = Long.getLong("monotick.seed");
    long first = Long.getLong("monotick.firstSeed", 1L);
    return one == null
        ? LongStream.range(first, first + Long.getLong("monotick.seeds", 10L))
        : LongStream.of(one);
  }

  @ParameterizedTest(name = "-Dmonotick.seed={0}")
  @MethodSource("seeds")
  void everyTickHasOneOutcomeAndAtMostOnceStartsAtMostOnce(long seed) {
    try {
      new Chaos(seed).run();
    } catch (Throwable e) {
      throw new AssertionError("failed; run it again with -Dmonotick.seed=" + seed, e);
    }
  }

  /** A run in which nothing went wrong proves nothing. */
  @AfterAll
  static void faultsHadTheirEffect() {
    if (Long.getLong("monotick.seed") == null) {
      assertThat(SEEN.keySet())
          .contains(
              Outcome.SUCCEEDED,
              Outcome.UNKNOWN,
              Outcome.CANCELLED,
              Outcome.MISSED,
              Outcome.SKIPPED);
      assertThat(repeated).isPositive();
    }
  }

  /** One run. */
  private static final class Chaos {

    private final Random random;
    private final SimulatedCluster cluster;
    private final Set<Integer> frozen = new HashSet<>();
    private final List<LeaderTerm> terms = new ArrayList<>();
    private final Map<TickId, Integer> starts = new HashMap<>();
    private final Map<String, Instant> cursors = new HashMap<>();
    private final Map<String, Duration> periods = new HashMap<>();
    private final Map<TickId, Integer> cancelled = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private boolean calm;
    private boolean waiting; // for an answer of an engine, which a fault would take away
    private int depth;

    Chaos(long seed) {
      random = new Random(seed);
      SimulatedCluster.Builder builder =
          SimulatedCluster.builder().replicas(REPLICAS).seed(seed).historyPerTask(1_000_000);
      for (HaMode mode : List.of(HaMode.LEADER, HaMode.ONE_REPLICA)) {
        for (Effect effect : List.of(Effect.AT_MOST_ONCE, Effect.AT_LEAST_ONCE)) {
          for (Overlap overlap : Overlap.values()) {
            String name = mode + "." + effect + "." + overlap;
            Duration period = Duration.ofMillis(1_500 + 500L * periods.size());
            periods.put(name, period);
            builder.task(
                replica ->
                    Task.named(name)
                        .every(period)
                        .mode(mode)
                        .effect(effect)
                        .overlap(overlap)
                        .backoff(new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(9)))
                        .timeout(Duration.ofSeconds(4))
                        .run(context -> body(replica, context)));
          }
        }
      }
      builder.task(
          replica ->
              Task.named("check")
                  .every(Duration.ofMillis(200))
                  .mode(HaMode.EVERY_REPLICA)
                  .run(context -> check()));
      cluster = builder.start();
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        cluster.advance(Duration.ofMillis(1 + random.nextInt(700)));
        waitFor(this::sampleTerms);
        assertThat(violations).isEmpty();
        if (random.nextInt(4) == 0) {
          fault(random.nextInt(REPLICAS), true);
        }
      }
      settle();
      periods.forEach(this::checkLedger);
      cluster.close();
    }

    private void body(String replica, TaskContext context) throws InterruptedException {
      int count = starts.merge(context.tick(), 1, Integer::sum);
      if (count > 1) {
        repeated++;
        expect(!context.tick().task().contains("AT_MOST_ONCE"), context.tick() + " began twice");
      }
      if (calm || depth > 3 || random.nextInt(6) != 0) {
        return;
      }
      depth++;
      try {
        if (random.nextInt(3) == 0 && !waiting) {
          fault(Integer.parseInt(replica.substring("replica-".length())), false);
        }
        context.sleep(Duration.ofMillis(random.nextInt(5_000)));
      } catch (InterruptedException e) {
        cancelled.merge(context.tick(), 1, Integer::sum);
        throw e;
      } finally {
        depth--;
      }
      if (random.nextInt(10) == 0) {
        throw new IllegalStateException("a body that fails now and then");
      }
    }

    private void fault(int index, boolean outsideOfBodies) {
      boolean up = cluster.isUp(index);
      switch (random.nextInt(10)) {
        case 0 -> {
          cluster.crash(index);
          thaw(index);
        }
        case 1, 2 -> {
          if (outsideOfBodies && !up) {
            waitFor(() -> cluster.restart(index));
          }
        }
        case 3 -> {
          if (up && frozen.add(index)) {
            cluster.freeze(index);
          }
        }
        case 4 -> thaw(index);
        case 5 -> cluster.partition(index);
        case 6 -> cluster.loseReplies(index);
        case 7 -> cluster.heal(index);
        case 8 -> {
          if (up && outsideOfBodies && !frozen.contains(index)) {
            waitFor(() -> cluster.stop(index));
          }
        }
        default -> {
          if (up) {
            cluster.replica(index).resign("default");
          }
        }
      }
    }

    private void thaw(int index) {
      if (frozen.remove(index)) {
        cluster.thaw(index);
      }
    }

    private void waitFor(Runnable action) {
      waiting = true;
      action.run();
      waiting = false;
    }

    private void sampleTerms() {
      for (int i = 0; i < REPLICAS; i++) {
        if (cluster.isUp(i) && !frozen.contains(i)) {
          cluster
              .replica(i)
              .leadership("default")
              .filter(t -> !terms.contains(t))
              .ifPresent(terms::add);
        }
      }
      terms.removeIf(term -> !term.isValid());
    }

    /** Called by a task, whose failures would be none of the test's: so they are noted. */
    private void check() {
      expect(terms.stream().filter(LeaderTerm::isValid).count() <= 1, "two leaders " + terms);
      for (TaskState state : cluster.store().ledger().states(periods.keySet())) {
        Instant before = cursors.put(state.task(), state.cursor());
        expect(before == null || !state.cursor().isBefore(before), state + " went back");
      }
    }

    private void expect(boolean holds, String otherwise) {
      if (!holds) {
        violations.add(otherwise);
      }
    }

    private void settle() {
      calm = true;
      for (int i = 0; i < REPLICAS; i++) {
        thaw(i);
        cluster.heal(i);
        if (!cluster.isUp(i)) {
          cluster.restart(i);
        }
      }
      cluster.advance(Duration.ofMinutes(2));
      for (int i = 0; i < REPLICAS; i++) {
        cluster.stop(i);
      }
    }

    /** Every nominal time up to the cursor is in one row, and every row has its outcome. */
    private void checkLedger(String task, Duration period) {
      TaskState state = cluster.store().ledger().states(List.of(task)).get(0);
      assertThat(state.open()).as("open %s", task).isZero();
      assertThat(state.queued()).as("queued %s", task).isZero();
      assertThat(Duration.between(state.cursor(), cluster.scheduler().time().now()))
          .as("how far %s is behind", task)
          .isLessThan(period.plusSeconds(5));
      List<TickRecord> rows = new ArrayList<>(cluster.store().ledger().history(task, 1_000_000));
      Collections.reverse(rows);
      Instant expected = next(FakeTime.START, period);
      for (TickRecord row : rows) {
        assertThat(row.tick().nominal()).as("row after the last one: %s", row).isEqualTo(expected);
        assertThat(row.outcome()).as("outcome of %s", row).isNotNull();
        assertThat(row.last())
            .as("end of %s", row)
            .isEqualTo(row.tick().nominal().plus(period.multipliedBy(row.count() - 1)));
        checkStarts(row);
        expected = row.last().plus(period);
      }
      assertThat(state.cursor()).isEqualTo(expected.minus(period));
    }

    private void checkStarts(TickRecord row) {
      Outcome outcome = row.outcome();
      if (outcome == null) {
        return;
      }
      SEEN.merge(outcome, row.count(), Long::sum);
      int started = starts.getOrDefault(row.tick(), 0);
      // What was cancelled and given back is no sign of a tick that kills its replica.
      int lost = started - cancelled.getOrDefault(row.tick(), 0);
      assertThat(lost).as("attempts at %s", row).isLessThanOrEqualTo(3);
      switch (outcome) {
        case SUCCEEDED, FAILED, TIMED_OUT -> assertThat(started).as("%s", row).isPositive();
        case SKIPPED, MISSED -> assertThat(started).as("%s", row).isZero();
        default -> {} // cancelled or left before or after it began
      }
    }

    private static Instant next(Instant after, Duration period) {
      long millis = after.toEpochMilli() / period.toMillis() * period.toMillis();
      return Instant.ofEpochMilli(millis).plus(period);
    }
  }
}
