package dev.monotick.postgres.leader;

import dev.monotick.leader.Fence;
import dev.monotick.replica.ReplicaId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The row of a group, as somebody saw it.
 *
 * @param holder who leads, or led last
 * @param fence the fence of its term
 * @param beat counts its renewals
 * @param released whether the holder ended the term itself
 * @param duration how long the holder may rely on it at most, once silent; its own configuration
 * @param presence key of the holder's presence lock, if it held that when it last renewed
 */
record LeaseRow(
    ReplicaId holder,
    Fence fence,
    long beat,
    boolean released,
    Duration duration,
    @Nullable Long presence) {

  /** Says whether nobody wrote the row between the two looks at it. */
  boolean isSameAs(LeaseRow other) {
    return beat == other.beat
        && released == other.released
        && fence.equals(other.fence)
        && holder.equals(other.holder);
  }
}
