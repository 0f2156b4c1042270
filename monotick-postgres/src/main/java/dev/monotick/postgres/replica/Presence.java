package dev.monotick.postgres.replica;

import dev.monotick.replica.ReplicaId;
import org.jspecify.annotations.Nullable;

/**
 * A second session of this process, apart from the registry's own, that holds a lock for each of
 * its replicas: whoever sees both locks vanish at once knows that the process is dead.
 */
public interface Presence {

  /** Holds a lock from now on, and returns its key; null if this store holds none. */
  @Nullable Long enter(ReplicaId replica);

  /** Holds the lock no more. */
  void leave(ReplicaId replica);

  /** Returns one that holds no locks. */
  static Presence none() {
    return new Presence() {
      @Override
      public @Nullable Long enter(ReplicaId replica) {
        return null;
      }

      @Override
      public void leave(ReplicaId replica) {}
    };
  }
}
