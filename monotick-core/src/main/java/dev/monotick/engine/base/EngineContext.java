package dev.monotick.engine.base;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;

/** What every part of one engine needs: who it is, where it runs and what time it is. */
public record EngineContext(
    MemberIdentity identity, String replicaName, EngineThreads threads, TimeSource time) {

  /** Returns the id of the current membership, or of the one this replica is about to seek. */
  public MemberId replica() {
    return identity.current();
  }
}
