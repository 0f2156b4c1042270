package dev.monotick.testkit;

import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** The clocks of one machine: those of the cluster, but wrong by an offset and a rate. */
final class ReplicaClock {

  private static final Duration LONGEST = Duration.ofDays(36_500); // longer is for ever

  private final FakeTime time;
  private final TimeSource timeSource = new TimeSource(this::now, this::nanos);
  private double rate = 1;
  private Duration offset = Duration.ZERO;
  // Where the rate last changed: by the cluster's ticker, and by this one.
  private long anchor;
  private long anchorHere;
  private long slept;

  ReplicaClock(FakeTime time) {
    this.time = time;
    this.anchor = time.nanos();
    this.anchorHere = anchor;
  }

  TimeSource timeSource() {
    return timeSource;
  }

  long nanos() {
    long passed = time.nanos() - anchor;
    return anchorHere - slept + (rate == 1 ? passed : (long) (passed * rate));
  }

  /** Returns what the ticker would say if it had counted while the machine slept. */
  long nanosWithSleep() {
    return nanos() + slept;
  }

  Instant now() {
    Instant now = time.now();
    long ahead = nanosWithSleep() - time.nanos();
    if (ahead != 0) {
      now = now.plusNanos(ahead);
    }
    return offset.isZero() ? now : now.plus(offset);
  }

  /** Sets how far the wall clock is ahead, beside what the rate made of it. */
  void offset(Duration offset) {
    this.offset = offset;
  }

  /** Sets how fast both clocks run from now on; 1 is right. */
  void rate(double rate) {
    anchorHere = nanosWithSleep();
    anchor = time.nanos();
    this.rate = rate;
  }

  /** Lets the machine sleep until now: its ticker did not count that time, its wall clock did. */
  void sleptFor(Duration amount) {
    slept += amount.toNanos();
  }

  /** Returns how long it really takes until that much has passed here. */
  Duration toPass(Duration here) {
    boolean isRight = rate == 1 || here.compareTo(LONGEST) > 0;
    return isRight ? here : Duration.ofNanos((long) Math.ceil(here.toNanos() / rate));
  }
}
