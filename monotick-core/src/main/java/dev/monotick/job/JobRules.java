package dev.monotick.job;

import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How a job is to be treated; stored with it, so that replicas that do not know its kind treat it
 * right.
 *
 * @param maxAttempts how often its handler may try, 1 to 1,000
 * @param timeout how long one attempt may take
 * @param deadline after that moment no attempt begins; empty for none
 * @param effect what it promises when its replica dies in the middle
 * @param approval how long it waits for somebody's approval before it may run; empty if it needs
 *     none
 */
public record JobRules(
    int maxAttempts,
    Duration timeout,
    Optional<Instant> deadline,
    Effect effect,
    Optional<Duration> approval) {

  /** The most attempts a job may have. */
  public static final int MOST_ATTEMPTS = 1_000;

  /** The longest an attempt may take. */
  public static final Duration LONGEST_TIMEOUT = Duration.ofDays(7);

  private static final Duration LONGEST_APPROVAL = Duration.ofDays(366);

  /** Refuses rules that cannot be. */
  public JobRules {
    if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
      throw new IllegalArgumentException(
          "maxAttempts must be between 1 and " + MOST_ATTEMPTS + ", but was " + maxAttempts);
    }
    requireBetween("timeout", timeout, LONGEST_TIMEOUT);
    approval.ifPresent(wait -> requireBetween("approval", wait, LONGEST_APPROVAL));
  }

  private static void requireBetween(String field, Duration value, Duration longest) {
    if (value.isNegative() || value.isZero() || value.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          field + " must be longer than PT0S and at most " + longest + ", but was " + value);
    }
  }
}
