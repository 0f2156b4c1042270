package dev.monotick.ledger.internal;

import dev.monotick.ledger.LeaderProof;
import org.jspecify.annotations.Nullable;

/** Knows which fences are the newest. */
@FunctionalInterface
public interface FenceCheck {

  /** Says whether the proof is stale, or from elsewhere; no proof is never refused. */
  boolean refuses(@Nullable LeaderProof proof);
}
