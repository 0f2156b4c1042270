package dev.monotick.postgres.ledger;

import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The database's clock, as this replica knows it without asking: the last good reading, plus what
 * the local ticker counted since. The local wall clock plays no part, so a replica whose clock is
 * wrong or jumps is as punctual as any other. Thread-safe.
 *
 * <p>A reading was taken some time between its request was sent and its answer came; it is put in
 * the middle, so it is wrong by at most half the round trip, and grows worse as tickers drift. A
 * new reading is taken over if it is better than that, or if it contradicts the old one: then the
 * database's clock was set, or the ticker stood still while the machine slept.
 */
public final class DatabaseClock {

  /** How much tickers may differ in speed, for judging the age of a reading only. */
  private static final long DRIFT = 10_000; // one part in so many

  private final TimeSource time;
  private volatile Reading reading;

  /**
   * What the database's clock said.
   *
   * @param nanos the ticker then
   * @param at the database's clock then
   * @param error how far off it may be, in nanoseconds
   */
  private record Reading(long nanos, Instant at, long error) {

    Instant at(long now) {
      return at.plusNanos(now - nanos);
    }

    long error(long now) {
      return error + Math.abs(now - nanos) / DRIFT;
    }
  }

  /** Creates one that agrees with the local clock until it is told better. */
  public DatabaseClock(TimeSource time) {
    this.time = time;
    this.reading = new Reading(time.nanos(), time.now(), Long.MAX_VALUE / 4);
  }

  /** Returns the ticker; to be asked just before a request is sent. */
  public long sendTime() {
    return time.nanos();
  }

  /**
   * Takes a reading.
   *
   * @param sent the ticker when the database was asked
   * @param said what its clock said
   */
  public synchronized void record(long sent, Instant said) {
    long now = time.nanos();
    Reading fresh = new Reading(sent + (now - sent) / 2, said, (now - sent) / 2);
    Reading old = reading;
    long difference = Math.abs(ChronoUnit.NANOS.between(old.at(fresh.nanos()), fresh.at()));
    boolean better = fresh.error() <= old.error(now);
    boolean contradicts = difference > old.error(now) + fresh.error();
    if (better || contradicts) {
      reading = fresh;
    }
  }

  /** Returns the time by the database's clock, to the microsecond. */
  public Instant now() {
    return reading.at(time.nanos()).truncatedTo(ChronoUnit.MICROS);
  }

  /** Returns how far the database's clock is ahead of the local one. */
  public Duration offset() {
    return Duration.between(time.now(), now());
  }
}
