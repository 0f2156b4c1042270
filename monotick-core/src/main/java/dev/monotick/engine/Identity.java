package dev.monotick.engine;

import dev.monotick.replica.ReplicaId;

/**
 * Under which id this process is a member: another one after each membership that was lost.
 *
 * <p>Written on the loop, read anywhere.
 */
final class Identity {

  private volatile ReplicaId current;

  Identity(ReplicaId first) {
    this.current = first;
  }

  ReplicaId current() {
    return current;
  }

  /** Gives up the current id for good. */
  void renew() {
    current = current.successor();
  }
}
