package dev.monotick.engine.member;

import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long something held in a store may be relied on: the arithmetic of all leases, of leaders and
 * of memberships, on every backend.
 *
 * <ul>
 *   <li>It is valid until D - M after the last acknowledged renewal was <em>sent</em>, by the local
 *       ticker. The store counts its D from when it received that, which was later, so it gives the
 *       lease to nobody else before this one has ended here. M pays for tickers of different speed.
 *   <li>The ticker stands still while a machine is suspended; so the wall clock is asked as well.
 *       If it moved by D - M or more, or back by more than a second, one of the two is wrong, and a
 *       lease nobody can measure is over.
 *   <li>Once over it stays over: an acknowledgement that comes late changes nothing.
 * </ul>
 *
 * <p>Thread-safe: renewed on the loop, asked anywhere.
 */
public final class LocalLease {

  private static final long WALL_CLOCK_SLACK_MILLIS = 1_000;

  private final Duration trusted;
  private final long trustedNanos;
  private final long trustedMillis;
  private final TimeSource time;
  private volatile Sent lastAcknowledged;
  private volatile @Nullable LossCause end;

  /** When a request was about to leave, by both clocks. */
  public record Sent(long nanos, Instant wall) {

    public static Sent now(TimeSource time) {
      return new Sent(time.nanos(), time.now());
    }
  }

  /** Begins with the acknowledgement of the request that acquired it. */
  public LocalLease(LeaseTiming timing, TimeSource time, Sent acknowledged) {
    this.trusted = timing.trusted();
    this.trustedNanos = trusted.toNanos();
    this.trustedMillis = trusted.toMillis();
    this.time = time;
    this.lastAcknowledged = acknowledged;
  }

  /** Extends the lease if it is still valid; says whether it was. */
  public boolean renewed(Sent acknowledged) {
    if (!isValid()) {
      return false;
    }
    lastAcknowledged = acknowledged;
    return true;
  }

  /** Ends the lease, for the first cause given. */
  public void end(LossCause cause) {
    if (end == null) {
      end = cause;
    }
  }

  public boolean isValid() {
    return end == null && lapse() == null;
  }

  /** Returns why the lease is over, or null while it is valid. */
  @Nullable
  public LossCause cause() {
    LossCause ended = end;
    return ended != null ? ended : lapse();
  }

  /** Returns how long the lease is valid without a further renewal, by the ticker. */
  public Duration validFor() {
    return isValid() ? trusted.minusNanos(elapsed(lastAcknowledged)) : Duration.ZERO;
  }

  private @Nullable LossCause lapse() {
    Sent sent = lastAcknowledged;
    if (elapsed(sent) >= trustedNanos) {
      return ended(LossCause.EXPIRED);
    }
    long wall = Duration.between(sent.wall(), time.now()).toMillis();
    boolean disagree = wall >= trustedMillis || wall < -WALL_CLOCK_SLACK_MILLIS;
    return disagree ? ended(LossCause.CLOCKS_DISAGREE) : null;
  }

  /** Whoever sees it first makes it final: a clock that is set back must not revive a lease. */
  private LossCause ended(LossCause cause) {
    end(cause);
    return cause;
  }

  private long elapsed(Sent sent) {
    return time.nanos() - sent.nanos();
  }
}
