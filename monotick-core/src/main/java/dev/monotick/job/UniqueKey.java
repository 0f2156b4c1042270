package dev.monotick.job;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;

/**
 * Keeps jobs of one kind and tenant from being the same: while a job has the key, asking for
 * another one gives that job.
 *
 * @param key the key, 1 to {@value #LONGEST} characters
 * @param window how long from its creation the job has the key, whatever becomes of it; empty if it
 *     has it until it ends
 */
public record UniqueKey(String key, Optional<Duration> window) {

  /** The most characters a key may have. */
  public static final int LONGEST = 500;

  private static final Duration LONGEST_WINDOW = Duration.ofDays(366);

  /** Refuses keys and windows that cannot be. */
  public UniqueKey {
    if (requireNonNull(key, "key").isEmpty() || key.length() > LONGEST) {
      throw new IllegalArgumentException(
          "uniqueKey must be 1 to "
              + LONGEST
              + " characters, but was "
              + key.length()
              + "; hash what is longer");
    }
    window.ifPresent(
        length -> {
          if (length.isNegative() || length.isZero() || length.compareTo(LONGEST_WINDOW) > 0) {
            throw new IllegalArgumentException(
                "uniqueKey window must be longer than PT0S and at most "
                    + LONGEST_WINDOW
                    + ", but was "
                    + length);
          }
        });
  }
}
