package dev.monotick.chaos.replica;

import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** Clocks that run faster or slower than those of this process, by the same factor both. */
final class SkewedTime {

  private final TimeSource base;
  private final double rate;
  private final long startNanos;
  private final Instant start;

  private SkewedTime(TimeSource base, double rate) {
    this.base = base;
    this.rate = rate;
    this.startNanos = base.nanos();
    this.start = base.now();
  }

  static TimeSource of(TimeSource base, double rate) {
    if (rate == 1) {
      return base;
    }
    SkewedTime skewed = new SkewedTime(base, rate);
    return new TimeSource(skewed::now, skewed::nanos);
  }

  private long nanos() {
    return startNanos + (long) ((base.nanos() - startNanos) * rate);
  }

  private Instant now() {
    return start.plusNanos((long) (Duration.between(start, base.now()).toNanos() * rate));
  }
}
