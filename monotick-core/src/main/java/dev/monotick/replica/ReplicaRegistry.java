package dev.monotick.replica;

import dev.monotick.leader.LeaseTiming;
import java.util.List;
import java.util.Optional;

/**
 * The replicas that share a store, and which of them are alive. Implemented by our own backends;
 * pre-1.0, so it may still change. Thread-safe. Calls block for at most the {@linkplain
 * LeaseTiming#renewTimeout() renew timeout} and throw {@link dev.monotick.store.StoreException}
 * where the store gave no definite answer.
 *
 * <p>Membership is a lease: a replica that was silent for the lease duration is <em>gone</em>, its
 * open claims may be taken by others, and only a new {@link #join} brings it back.
 */
public interface ReplicaRegistry {

  /** Returns the lease under which membership is held. */
  LeaseTiming timing();

  /**
   * Adds the replica, or brings it back after it was gone.
   *
   * @param replica the replica
   * @param alone whether it must be the only one; then no other can join while it lives
   * @throws JoinRefusedException if it wants to be alone and is not, or if another one is alone
   */
  void join(ReplicaInfo replica, boolean alone);

  /**
   * Proves that the replica lives and returns all that do, itself included. Empty if it is gone:
   * definite, it must join again.
   */
  Optional<List<ReplicaInfo>> beat(ReplicaId replica);

  /** Replaces what the others know of the replica; nothing happens if it is gone. */
  void update(ReplicaInfo replica);

  /** Removes the replica at once. Its claims must have ended; idempotent. */
  void leave(ReplicaId replica);

  /** Returns the replicas that are alive. */
  List<ReplicaInfo> live();
}
