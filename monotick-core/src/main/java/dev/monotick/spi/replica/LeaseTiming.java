package dev.monotick.spi.replica;

import java.time.Duration;

/**
 * The four durations of a lease, in the order D, H, R, M.
 *
 * <p>A holder may rely on its lease until {@code leaseDuration - margin} after it <em>sent</em> the
 * last renewal that was acknowledged. So that one lost renewal costs nothing, two attempts must fit
 * before that: {@code renewInterval + 2 x renewTimeout <= leaseDuration - margin}.
 *
 * @param leaseDuration how long a silent holder keeps the lease in the store (D)
 * @param renewInterval how often the holder renews (H)
 * @param renewTimeout how long one attempt may take (R)
 * @param margin how much earlier than the store the holder stops trusting the lease (M); covers
 *     clocks that run at different speeds and the time it takes to react; at least a tenth of D
 */
public record LeaseTiming(
    Duration leaseDuration, Duration renewInterval, Duration renewTimeout, Duration margin) {

  /** Refuses durations that do not fit together. */
  public LeaseTiming {
    requirePositive("leaseDuration", leaseDuration);
    requirePositive("renewInterval", renewInterval);
    requirePositive("renewTimeout", renewTimeout);
    requirePositive("margin", margin);
    if (margin.multipliedBy(10).compareTo(leaseDuration) < 0) {
      throw new IllegalArgumentException(
          "margin must be at least a tenth of leaseDuration "
              + leaseDuration
              + ", so that clocks may differ in speed by as much, but was "
              + margin
              + "; raise margin or lower leaseDuration");
    }
    Duration needed = renewInterval.plus(renewTimeout.multipliedBy(2));
    Duration trusted = leaseDuration.minus(margin);
    if (needed.compareTo(trusted) > 0) {
      throw new IllegalArgumentException(
          "renewInterval + 2 x renewTimeout must fit into leaseDuration - margin, but "
              + renewInterval
              + " + 2 x "
              + renewTimeout
              + " = "
              + needed
              + " and "
              + leaseDuration
              + " - "
              + margin
              + " = "
              + trusted
              + "; raise leaseDuration or lower renewInterval or renewTimeout");
    }
  }

  /** Returns how long after sending a renewal its acknowledgement may be relied on: D - M. */
  public Duration trusted() {
    return leaseDuration.minus(margin);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(
          name + " must be longer than PT0S, but was " + value + "; use a positive duration");
    }
  }
}
