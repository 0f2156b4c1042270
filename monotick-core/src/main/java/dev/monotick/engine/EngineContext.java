package dev.monotick.engine;

import dev.monotick.replica.ReplicaId;
import dev.monotick.thread.EngineThreads;
import dev.monotick.time.TimeSource;

/** What every part of one engine needs: who it is, where it runs and what time it is. */
record EngineContext(
    Identity identity, String replicaName, EngineThreads threads, TimeSource time) {

  /** Returns the id of the current membership, or of the one this replica is about to seek. */
  ReplicaId replica() {
    return identity.current();
  }
}
