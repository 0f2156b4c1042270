package dev.monotick.chaos.storm;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Kills and pauses workers, every few seconds. A pause lasts from half a second to longer than the
 * lease of membership, and others may be killed or paused meanwhile. One thread.
 */
final class StormFaults {

  private static final long LEASE = WorkerSettings.MEMBERSHIP.leaseDuration().toMillis();

  private final StormWorkers workers;
  private final SplittableRandom random;
  private final long[] pausedUntil; // by place; 0 for not paused
  private long next;
  private int kills;
  private int pauses;
  private int longPauses;

  StormFaults(StormWorkers workers, SplittableRandom random) {
    this.workers = workers;
    this.random = random;
    this.pausedUntil = new long[workers.count()];
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

  /** Does what is due. */
  void step() {
    workers.requireAlive();
    long now = System.nanoTime();
    resume(now);
    if (now - next >= 0) {
      strike(now);
      next = now + millis(1_500 + random.nextInt(2_500));
    }
  }

  /** Lets all go on. */
  void end() {
    resume(Long.MAX_VALUE);
  }

  private void strike(long now) {
    int place = random.nextInt(workers.count());
    boolean kill = random.nextInt(100) < 45;
    int dice = random.nextInt(100);
    if (!workers.hasStarted(place) || pausedUntil[place] != 0) {
      return; // it has enough
    }
    if (longPauses > 0 && (kill || kills == 0)) {
      workers.kill(place);
      kills++;
      return;
    }
    boolean isLong = longPauses == 0 || dice < 40;
    // Some end at about the moment when the others notice; the first one lasts until they have.
    long length =
        !isLong
            ? 500 + random.nextLong(LEASE - 1_000)
            : longPauses == 0 ? 2 * LEASE : LEASE + 500 + random.nextLong(LEASE);
    workers.pause(place);
    pausedUntil[place] = now + millis(length);
    pauses++;
    longPauses += isLong ? 1 : 0;
  }

  private void resume(long now) {
    for (int place = 0; place < pausedUntil.length; place++) {
      if (pausedUntil[place] != 0 && (now == Long.MAX_VALUE || now - pausedUntil[place] >= 0)) {
        workers.resume(place);
        pausedUntil[place] = 0;
      }
    }
  }

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
