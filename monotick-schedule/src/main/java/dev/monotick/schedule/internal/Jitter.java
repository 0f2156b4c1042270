package dev.monotick.schedule.internal;

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
    return nominal.plusMillis(Math.floorMod(StableHash.of(name, nominal.toEpochMilli()), room));
  }
}
