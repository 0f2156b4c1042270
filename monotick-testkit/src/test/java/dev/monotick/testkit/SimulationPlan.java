package dev.monotick.testkit;

import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.task.HaMode;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What one seed is about. Each seed has some of the faults only, because runs in which everything
 * happens at once hide what a few faults alone would show.
 */
final class SimulationPlan {

  static final Duration RETRY_CAP = Duration.ofSeconds(5);

  private static final LeaseTiming[] TIMINGS = {
    timing(1_500, 300, 300, 250), timing(1_500, 400, 250, 150), timing(2_000, 500, 400, 300)
  };

  final SplittableRandom random;
  final int replicas;
  final LeaseTiming timing;
  final List<TaskPlan> tasks = new ArrayList<>();
  final boolean jobs;
  final boolean limitPerKey;
  final int limit;

  /** One fault on the leader, all else well: how long until another leads? */
  final boolean calm;

  final boolean kills;
  final boolean pauses;
  final boolean partitions;
  final boolean stops;
  final boolean storeRestarts;
  final boolean clockSteps;
  final boolean suspends;
  final boolean rates;
  final boolean ratesBeyondBound;
  final boolean silentLoss;
  final boolean edits;

  /** Whether tasks run all ticks of an outage; not drawn, so that seeds keep their faults. */
  final boolean catchUpAll;

  /** Whether who tells of new jobs can make a turn at once. */
  final boolean handsOff;

  final boolean canHandOff; // else the store lacks that part

  final int failpointPercent;
  final int lossPercent;
  final int duplicatePercent;
  final int latePercent;
  final int cutCommitPercent;
  final int faults;
  final Duration chaos;

  /**
   * A task of the run.
   *
   * @param longPercent how many bodies of a hundred take long
   */
  record TaskPlan(
      String name, HaMode mode, Effect effect, Overlap overlap, Duration period, int longPercent) {}

  SimulationPlan(long seed) {
    random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 1);
    handsOff = Math.floorMod(seed, 4) == 3;
    canHandOff = Math.floorMod(seed, 4) != 0;
    catchUpAll = Math.floorMod(seed, 3) == 2;
    replicas = 2 + random.nextInt(2) + (one(8) ? 1 : 0);
    timing = TIMINGS[random.nextInt(TIMINGS.length)];
    calm = one(12);
    boolean wild = !calm;
    kills = wild && one(2);
    pauses = wild && one(2);
    partitions = wild && one(2);
    stops = wild && one(3);
    storeRestarts = wild && one(4);
    clockSteps = wild && one(4);
    suspends = wild && !clockSteps && one(4); // two clocks that are wrong may agree
    rates = one(3);
    ratesBeyondBound = wild && !rates && one(6);
    silentLoss = wild && !ratesBeyondBound && one(6); // ten seconds of a slow clock are too long
    edits = wild && one(3);
    failpointPercent = wild && one(2) ? 2 + random.nextInt(8) : 0;
    lossPercent = wild && one(3) ? 1 + random.nextInt(8) : 0;
    duplicatePercent = wild && one(3) ? 2 + random.nextInt(15) : 0;
    latePercent = wild && one(3) ? 2 + random.nextInt(12) : 0;
    cutCommitPercent = wild && one(3) ? 3 + random.nextInt(12) : 0;
    jobs = one(2);
    limitPerKey = one(2);
    limit = 1 + random.nextInt(2);
    faults = calm ? 0 : 1 + random.nextInt(6);
    chaos = Duration.ofMillis(calm ? 6_000 : 4_000 + random.nextInt(4_000));
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      tasks.add(task(i));
    }
  }

  private TaskPlan task(int index) {
    // The first is always led, so that every run elects.
    HaMode mode = index == 0 ? HaMode.LEADER : any(HaMode.values());
    Effect effect = mode.isExclusive() ? any(Effect.values()) : Effect.AT_MOST_ONCE;
    Overlap overlap = mode == HaMode.SHARED ? Overlap.SKIP : any(Overlap.values());
    Duration period = Duration.ofMillis(600 + 100L * random.nextInt(15));
    int longPercent = one(3) ? 40 : 10;
    return new TaskPlan("t" + index, mode, effect, overlap, period, longPercent);
  }

  private <T> T any(T[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  boolean one(int in) {
    return random.nextInt(in) == 0;
  }

  boolean percent(int percent) {
    return percent > 0 && random.nextInt(100) < percent;
  }

  private static LeaseTiming timing(int lease, int interval, int timeout, int margin) {
    return new LeaseTiming(
        Duration.ofMillis(lease),
        Duration.ofMillis(interval),
        Duration.ofMillis(timeout),
        Duration.ofMillis(margin));
  }
}
