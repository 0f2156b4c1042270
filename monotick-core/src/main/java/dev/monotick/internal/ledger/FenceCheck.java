package dev.monotick.internal.ledger;

import dev.monotick.spi.tick.LeaderProof;
import org.jspecify.annotations.Nullable;

/** Knows which fences are the newest. */
@FunctionalInterface
public interface FenceCheck {

  /** Says whether the proof is stale, or from elsewhere; no proof is never refused. */
  boolean refuses(@Nullable LeaderProof proof);
}
