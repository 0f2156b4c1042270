package dev.monotick.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Spreads ticks that share a nominal time. The delay is a hash of (name, nominal time): every
 * replica computes the same one, and it changes from tick to tick. It never reaches the next tick.
 */
public final class Jitter {

  private Jitter() {}

  /**
   * Returns when the tick at {@code nominal} of {@code name} is due: at least {@code nominal}, less
   * than {@code maximum} later and before {@code next}.
   */
  public static Instant due(
      String name, Instant nominal, Optional<Instant> next, Duration maximum) {
    if (maximum.isZero()) {
      return nominal;
    }
    long room =
        next.map(n -> Math.min(maximum.toMillis(), Duration.between(nominal, n).toMillis()))
            .orElse(maximum.toMillis());
    if (room <= 0) {
      return nominal;
    }
    return nominal.plusMillis(Math.floorMod(hash(name, nominal.toEpochMilli()), room));
  }

  /** FNV-1a over the name, then a 64-bit finalizer: stable over versions, machines and JDKs. */
  static long hash(String name, long salt) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
    }
    hash ^= salt * 0x9e3779b97f4a7c15L;
    hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
    return hash ^ (hash >>> 31);
  }
}
