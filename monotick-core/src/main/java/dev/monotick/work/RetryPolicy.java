package dev.monotick.work;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When a failed attempt is repeated, and whether. Immutable.
 *
 * @param delays how long to wait after which attempt
 * @param permanent failures that another attempt would not mend; they end the job at once
 */
public record RetryPolicy(Delays delays, List<Class<? extends Throwable>> permanent) {

  /** The longest wait between two attempts. */
  public static final Duration LONGEST = Duration.ofDays(366);

  /** How long to wait. */
  @FunctionalInterface
  public interface Delays {

    /**
     * Returns how long to wait after that attempt.
     *
     * @param attempt which one failed, from 1
     * @param random from 0 to 1, for jitter
     */
    Duration after(int attempt, double random);
  }

  /** Copies the list. */
  public RetryPolicy {
    requireNonNull(delays, "delays");
    permanent = List.copyOf(permanent);
  }

  /** One second, doubling with every attempt up to an hour, give or take a tenth; the default. */
  public static RetryPolicy ofDefaults() {
    return exponential(Duration.ofSeconds(1), Duration.ofHours(1));
  }

  /**
   * Doubles with every attempt, give or take a tenth.
   *
   * @param first after the first attempt
   * @param cap the longest, before jitter
   */
  public static RetryPolicy exponential(Duration first, Duration cap) {
    requireBetween("first", first, cap);
    requireBetween("cap", cap, LONGEST);
    return new RetryPolicy(
        (attempt, random) -> {
          int doublings = Math.min(attempt - 1, 40);
          Duration delay = cap;
          if (first.compareTo(cap.dividedBy(1L << doublings)) <= 0) {
            delay = first.multipliedBy(1L << doublings);
          }
          return jittered(delay, random);
        },
        List.of());
  }

  /** The same after every attempt, give or take a tenth. */
  public static RetryPolicy fixed(Duration delay) {
    requireBetween("delay", delay, LONGEST);
    return new RetryPolicy((attempt, random) -> jittered(delay, random), List.of());
  }

  /**
   * As somebody else says. What is longer than {@link #LONGEST} is shortened to it; if it says
   * nothing that can be, or fails, the default's delay is taken. The attempt tells of both.
   */
  public static RetryPolicy custom(Delays delays) {
    return new RetryPolicy(delays, List.of());
  }

  /** Returns this policy, with failures of this type too, and of types under it, for good. */
  public RetryPolicy permanentOn(Class<? extends Throwable> type) {
    List<Class<? extends Throwable>> types = new ArrayList<>(permanent);
    types.add(type);
    return new RetryPolicy(delays, types);
  }

  /** Says whether the failure, or what caused it, is one that another attempt would not mend. */
  public boolean isPermanent(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      for (Class<? extends Throwable> type : permanent) {
        if (type.isInstance(cause)) {
          return true;
        }
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static Duration jittered(Duration delay, double random) {
    Duration jittered = delay.plusNanos((long) (delay.toNanos() * 0.1 * (2 * random - 1)));
    return jittered.compareTo(LONGEST) > 0 ? LONGEST : jittered;
  }

  private static void requireBetween(String field, Duration value, Duration longest) {
    if (value.isNegative() || value.isZero() || value.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          field + " must be longer than PT0S and at most " + longest + ", but was " + value);
    }
  }
}
