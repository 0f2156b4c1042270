package dev.monotick.spi.replica;

import dev.monotick.error.JoinRefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The replicas that share a store, and which of them are alive. Implemented by our own backends;
 * pre-1.0, so it may still change. Thread-safe. Calls block for at most the {@linkplain
 * LeaseTiming#renewTimeout() renew timeout} and throw {@link dev.monotick.error.StoreException}
 * where the store gave no definite answer.
 *
 * <p>Membership is a lease: a replica that was silent for the lease duration is <em>gone</em>, for
 * good, and its open claims may be taken by others. Its process may join again, under another id.
 */
public interface MemberRegistry {

  /**
   * How long the claims of a replica whose process {@linkplain #join joined again} are left to it,
   * by the store's clock. The process lives: it reports what ended before and during the gap, so
   * that work which was done is not repeated.
   */
  Duration REJOIN_GRACE = Duration.ofSeconds(3);

  /** Returns the lease under which membership is held. */
  LeaseTiming timing();

  /**
   * Adds the replica. Joining again while it is a member changes nothing.
   *
   * <p>A member that is in the way, because of its name or because one of the two must be alone,
   * but has not been seen alive yet, may be dead: then the caller tries again until the other's
   * lease is over or it has proven that it lives.
   *
   * @param replica the replica
   * @param alone whether it must be the only one; then no other can join while it lives
   * @param former ids under which the same process was a member before; they are gone afterwards
   * @return whether it is a member; false if the id is gone, which is definite: take another one
   * @throws JoinPendingException if a member that may be dead is in the way
   * @throws JoinRefusedException if it wants to be alone and is not, if another one is alone, or if
   *     another one has its name
   */
  boolean join(MemberInfo replica, boolean alone, Set<MemberId> former);

  /**
   * Adds a replica whose process was no member before; see {@link #join(MemberInfo, boolean, Set)}.
   */
  default boolean join(MemberInfo replica, boolean alone) {
    return join(replica, alone, Set.of());
  }

  /**
   * Proves that the replica lives and returns all that do, itself included. Empty if it is gone:
   * definite, it must join again.
   */
  Optional<List<MemberInfo>> heartbeat(MemberId replica);

  /** Replaces what the others know of the replica; nothing happens if it is gone. */
  void update(MemberInfo replica);

  /** Removes the replica at once. Its claims must have ended; idempotent. */
  void leave(MemberId replica);

  /** Returns the replicas that are alive. */
  List<MemberInfo> live();
}
