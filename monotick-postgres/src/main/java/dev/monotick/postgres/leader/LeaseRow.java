package dev.monotick.postgres.leader;

import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The row of a group, as somebody saw it.
 *
 * @param holder who leads, or led last
 * @param fence the fence of its term
 * @param heartbeat counts its renewals
 * @param released whether the holder ended the term itself
 * @param duration how long the holder may rely on it at most, once silent; its own configuration
 * @param presence key of the holder's presence lock, if it held that when it last renewed
 */
record LeaseRow(
    MemberId holder,
    Fence fence,
    long heartbeat,
    boolean released,
    Duration duration,
    @Nullable Long presence) {

  /** Says whether nobody wrote the row between the two looks at it. */
  boolean isSameAs(LeaseRow other) {
    return heartbeat == other.heartbeat
        && released == other.released
        && fence.equals(other.fence)
        && holder.equals(other.holder);
  }
}
