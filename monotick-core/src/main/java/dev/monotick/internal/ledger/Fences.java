package dev.monotick.internal.ledger;

import dev.monotick.leader.Fence;
import dev.monotick.spi.tick.LeaderProof;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest fence of every group.
 *
 * <p>Minting takes no task's lock, and still no write under an old fence can follow the mint: a
 * write asks {@link #refuses} while it holds the lock of its task, and what it wrote can be seen
 * only under that lock. If the answer was "no" just before a mint, whoever looks at the task after
 * the mint waits for the lock and finds the write already there; so the write came first, for
 * everyone. This holds only while the question is asked under the task's lock.
 */
final class Fences implements FenceCheck {

  /** Memory has no standby that could be promoted, so there is one history only. */
  private static final long TIMELINE = 1;

  private final ConcurrentMap<String, Fence> newest = new ConcurrentHashMap<>();

  Fence mint(String group) {
    return newest.merge(
        group,
        new Fence(TIMELINE, 1),
        (current, first) -> new Fence(TIMELINE, current.epoch() + 1));
  }

  @Override
  public boolean refuses(@Nullable LeaderProof proof) {
    return proof != null && !proof.fence().equals(newest.get(proof.group()));
  }
}
