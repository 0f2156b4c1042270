package dev.monotick.postgres.replica;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one look at the table of replicas shows of one that is not known to be gone.
 *
 * @param id who
 * @param name what people call it
 * @param heartbeat how often it has proven that it lives
 * @param revision which version of its name and tasks this is
 * @param alone whether it must be the only one
 * @param locks how many of the two session locks of its process are held; null if it has none to
 *     hold
 */
record MemberSighting(
    UUID id, String name, long heartbeat, long revision, boolean alone, @Nullable Integer locks) {

  /** Says whether a session of its process was connected when this was looked at. */
  boolean isConnected() {
    return locks != null && locks > 0;
  }

  /** Says whether its process has sessions to hold locks, and none of them is connected. */
  boolean isDisconnected() {
    return locks != null && locks == 0;
  }
}
