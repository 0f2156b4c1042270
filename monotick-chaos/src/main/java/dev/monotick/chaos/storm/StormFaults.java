package dev.monotick.chaos.storm;

import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Kills and pauses workers and drops their packets, every few seconds. A pause lasts from half a
 * second to longer than the lease of membership, a loss always longer, and others may be struck
 * meanwhile. One thread.
 *
 * <p>A loss strikes in a lull: no jobs are added until the workers are idle and wait to be handed
 * some; then packets of one of them are dropped, and single jobs are added. So jobs are handed to a
 * worker that cannot hear of it, and the notices reach it when others have long done its work.
 * Often the lull goes on until then: what is idle when an old notice arrives believes more than
 * what is busy. Where no packets can be dropped, the worker is paused instead.
 */
final class StormFaults {

  private static final long LEASE = StormWorkerSettings.MEMBERSHIP.leaseDuration().toMillis();

  /** Until workers without jobs wait to be handed some, and for how long they are. */
  private static final long IDLE_MILLIS = 1_000;

  private static final long LONGEST_WAIT_MILLIS = 30_000; // of a busy machine
  private static final long SINGLES_MILLIS = 1_000;

  /**
   * TCP sends a packet again 0.2, 0.6, 1.4, 3, 6.2 seconds after it was lost. So it arrives within
   * this time if the loss is shorter than {@link #LONGEST_QUIET_LOSS}.
   */
  private static final long QUIET_MILLIS = 8_500;

  private static final long LONGEST_QUIET_LOSS = 6_000;

  private final StormWorkers workers;
  private final JobFeeder feeder;
  private final SplittableRandom random;
  private final long[] pausedUntil; // by place; 0 for not paused
  private final long[] lossyUntil; // by place; 0 for none
  private long next;
  private long lullSince; // 0 for none
  private long idleSince; // in a lull; 0 if not yet
  private long singlesUntil; // in a lull; 0 if none are added yet
  private long quietUntil; // a lull that goes on, while others are struck; 0 for none
  private int lulls;
  private int kills;
  private int pauses;
  private int longPauses;
  private int losses;

  StormFaults(StormWorkers workers, JobFeeder feeder, SplittableRandom random) {
    this.workers = workers;
    this.feeder = feeder;
    this.random = random;
    this.pausedUntil = new long[workers.count()];
    this.lossyUntil = new long[workers.count()];
    this.next = System.nanoTime() + millis(2_000);
  }

  int kills() {
    return kills;
  }

  int pauses() {
    return pauses;
  }

  /** Returns how many of the pauses were longer than the lease. */
  int longPauses() {
    return longPauses;
  }

  /** Returns how often all packets of a worker were dropped. */
  int losses() {
    return losses;
  }

  /** Returns the names of workers that are stopped or cut off. */
  Set<String> silent() {
    Set<String> names = new TreeSet<>();
    for (int place = 0; place < pausedUntil.length; place++) {
      if (pausedUntil[place] != 0 || lossyUntil[place] != 0) {
        names.add(workers.name(place));
      }
    }
    return names;
  }

  /** Returns whether it waits for workers to become idle. */
  boolean isLull() {
    return lullSince != 0;
  }

  /**
   * Does what is due.
   *
   * @param idle whether no job waits and none is claimed; asked for in a lull only
   */
  void step(boolean idle) {
    workers.requireAlive();
    long now = System.nanoTime();
    resume(now);
    if (isOver(quietUntil, now)) {
      endLull();
    }
    if (isLull()) {
      lull(now, idle);
    } else if (now - next >= 0) {
      strike(now);
      next = now + millis(1_500 + random.nextInt(2_500));
    }
  }

  /** Lets all go on. */
  void end() {
    endLull();
    resume(Long.MAX_VALUE);
  }

  private void strike(long now) {
    int place = random.nextInt(workers.count());
    int dice = random.nextInt(100);
    boolean mayLull = longPauses > 0 && kills > 0 && quietUntil == 0 && !feeder.isOver();
    if (mayLull && (lulls == 0 || dice < 25)) {
      lulls++;
      lullSince = now;
      feeder.rest(true);
      return;
    }
    if (!isWell(place)) {
      return; // it has enough
    }
    if (longPauses > 0 && (dice < 60 || kills == 0)) {
      workers.kill(place);
      kills++;
      return;
    }
    boolean isLong = longPauses == 0 || dice % 10 < 4;
    // Some end at about the moment when the others notice; the first one lasts until they
    // have, and have done its jobs.
    pause(
        now,
        place,
        !isLong
            ? 500 + random.nextLong(LEASE - 1_000)
            : longPauses == 0 ? 3 * LEASE : LEASE + 500 + random.nextLong(2 * LEASE));
  }

  private boolean isWell(int place) {
    return workers.hasStarted(place) && pausedUntil[place] == 0 && lossyUntil[place] == 0;
  }

  private void pause(long now, int place, long length) {
    workers.pause(place);
    pausedUntil[place] = now + millis(length);
    pauses++;
    longPauses += length > LEASE ? 1 : 0;
  }

  private void lull(long now, boolean idle) {
    if (singlesUntil != 0) {
      if (now - singlesUntil >= 0) {
        lullSince = 0;
        idleSince = 0;
        singlesUntil = 0;
        if (quietUntil == 0) {
          endLull();
        }
      } else {
        // More than there are workers, so that some go to one that waits for longer than others.
        feeder.addSingles(workers.count() + 2);
      }
      return;
    }
    if (!idle) {
      idleSince = 0;
    } else if (idleSince == 0) {
      idleSince = now;
    }
    boolean isIdle = idleSince != 0 && now - idleSince >= millis(IDLE_MILLIS);
    if (isIdle || now - lullSince >= millis(LONGEST_WAIT_MILLIS)) {
      strikeInLull(now);
      singlesUntil = now + millis(SINGLES_MILLIS);
    }
  }

  private void strikeInLull(long now) {
    int place = random.nextInt(workers.count());
    boolean isQuiet = losses == 0 || random.nextBoolean();
    long least = LEASE + 1_500;
    long length = least + random.nextLong(isQuiet ? LONGEST_QUIET_LOSS - least : 2 * LEASE);
    for (int tried = 0; !isWell(place); tried++) {
      if (tried == workers.count()) {
        return;
      }
      place = (place + 1) % workers.count();
    }
    if (workers.canDrop()) {
      workers.drop(place, true);
      lossyUntil[place] = now + millis(length);
      losses++;
      quietUntil = isQuiet ? now + millis(QUIET_MILLIS) : 0;
    } else {
      pause(now, place, length);
    }
  }

  private void endLull() {
    lullSince = 0;
    idleSince = 0;
    singlesUntil = 0;
    quietUntil = 0;
    feeder.rest(false);
  }

  private void resume(long now) {
    for (int place = 0; place < pausedUntil.length; place++) {
      if (isOver(pausedUntil[place], now)) {
        workers.resume(place);
        pausedUntil[place] = 0;
      }
      if (isOver(lossyUntil[place], now)) {
        workers.drop(place, false);
        lossyUntil[place] = 0;
      }
    }
  }

  private static boolean isOver(long until, long now) {
    return until != 0 && (now == Long.MAX_VALUE || now - until >= 0);
  }

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
