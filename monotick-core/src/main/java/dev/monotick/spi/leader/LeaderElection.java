package dev.monotick.spi.leader;

import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;

/**
 * Elects at most one leader per group among the replicas that share a store. Implemented by our own
 * backends; pre-1.0, so it may still change. Thread-safe.
 *
 * <p>A backend only talks to its store. When a term begins, how long it may be relied on and when
 * it ends is decided by the engine, once for all backends.
 */
public interface LeaderElection {

  /** Returns the timing this backend is meant for; the engine uses it unless told otherwise. */
  LeaseTiming defaultTiming();

  /**
   * Returns how often a follower tries to acquire, give or take a fifth; where a free lease can be
   * seen long before it would have run out, that is more often than a leader renews.
   */
  default Duration pollInterval(LeaseTiming timing) {
    return timing.renewInterval();
  }

  /**
   * Refuses more leadership groups than this replica can take part in. The engine asks before tasks
   * of a new group are registered.
   *
   * @param groups number of leadership groups of this replica, with the new ones
   * @throws IllegalArgumentException if something must be configured otherwise first, such as the
   *     size of a pool
   */
  default void checkCapacity(int groups) {}

  /** Returns a new candidacy of the replica for the group; nothing is acquired yet. */
  Candidacy candidate(String group, MemberId replica, LeaseTiming timing);
}
