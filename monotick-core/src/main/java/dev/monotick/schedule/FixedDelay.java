package dev.monotick.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** A pause between the end of one run and the start of the next; the ledger stores that end. */
public record FixedDelay(Duration delay) implements Schedule {

  /** Refuses a delay below one millisecond. */
  public FixedDelay {
    if (delay.compareTo(Duration.ofMillis(1)) < 0) {
      throw new IllegalArgumentException(
          "delay must be at least PT0.001S, but was " + delay + "; use a longer delay");
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Instant due = after.plus(delay);
    Instant rounded = due.truncatedTo(ChronoUnit.MILLIS);
    return Optional.of(rounded.equals(due) ? due : rounded.plusMillis(1));
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    return Optional.empty(); // the ends of runs are facts, not something a schedule can compute
  }

  @Override
  public Anchor anchor() {
    return Anchor.LAST_END;
  }

  @Override
  public String describe() {
    return delay + " after the end of the last run";
  }

  @Override
  public String toString() {
    return "fixed delay " + delay;
  }
}
