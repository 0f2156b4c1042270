package dev.monotick.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A pause between the end of one run and the start of the next; the ledger stores that end.
 *
 * @param delay the pause; whole milliseconds, at least one
 */
record FixedDelay(Duration delay) implements Schedule {

  private static final Duration MAXIMUM = Duration.ofDays(365_000);

  /** Refuses a delay below one millisecond or with a fraction of one. */
  FixedDelay {
    if (delay.compareTo(Duration.ofMillis(1)) < 0
        || delay.compareTo(MAXIMUM) > 0
        || delay.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          "delay must be a whole number of milliseconds, at least PT0.001S and at most "
              + MAXIMUM
              + ", but was "
              + delay
              + "; round it");
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    if (after.isAfter(Instant.MAX.minus(delay).minusMillis(1))) {
      return Optional.empty();
    }
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
    String words = Durations.words(delay);
    return Character.toUpperCase(words.charAt(0))
        + words.substring(1)
        + " after the end of the last run";
  }

  /** Returns the text that {@link Schedule#parse} reads back. */
  @Override
  public String toString() {
    return "@delay " + Durations.brief(delay);
  }
}
