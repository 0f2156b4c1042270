package dev.monotick.job;

import dev.monotick.spi.job.JobDraft;
import java.time.Duration;
import java.util.Optional;

/**
 * Bounds what runs at a time, or how many begin in a while, over all replicas. At least one of both
 * is given.
 *
 * @param scope what it bounds
 * @param running at most this many at a time
 * @param rate at most this many begin per period
 */
public record JobLimit(Scope scope, Optional<Integer> running, Optional<Rate> rate) {

  /**
   * What a limit bounds: all jobs of a kind, of a tenant, of a kind for each tenant apart, or of a
   * kind for each {@linkplain JobDraft#limitKey() limit key} apart.
   *
   * @param kind the kind, empty for all of the tenant
   * @param tenant the tenant, empty for all; {@value #EACH} for each apart
   * @param perKey whether each limit key has a limit of its own; only {@code running}
   */
  public record Scope(String kind, String tenant, boolean perKey) {

    /** Each tenant for itself. */
    public static final String EACH = "*";
  }

  /**
   * So many per period; an idle period leaves no more than one period's worth to catch up.
   *
   * @param count how many
   * @param period in which time
   */
  public record Rate(int count, Duration period) {}

  private static final Duration LONGEST_PERIOD = Duration.ofDays(366);

  /** Refuses limits that bound nothing, or cannot be. */
  public JobLimit {
    if (running.isEmpty() && rate.isEmpty()) {
      throw new IllegalArgumentException("limit must have running, rate, or both");
    }
    running.ifPresent(most -> requirePositive("running", most));
    rate.ifPresent(
        value -> {
          requirePositive("rate count", value.count());
          Duration period = value.period();
          if (period.isNegative() || period.isZero() || period.compareTo(LONGEST_PERIOD) > 0) {
            throw new IllegalArgumentException(
                "rate period must be longer than PT0S and at most "
                    + LONGEST_PERIOD
                    + ", but was "
                    + period);
          }
        });
    if (scope.kind().isEmpty() && scope.tenant().isEmpty()) {
      throw new IllegalArgumentException("limit must name a kind, a tenant, or both");
    }
    if (scope.perKey() && (scope.kind().isEmpty() || running.isEmpty() || rate.isPresent())) {
      throw new IllegalArgumentException(
          "limit per key must name a kind and bound what runs, and nothing else");
    }
  }

  private static void requirePositive(String field, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(
          field + " must be at least 1, but was " + value + "; pause the kind to run none");
    }
  }
}
