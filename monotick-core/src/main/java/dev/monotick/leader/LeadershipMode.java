package dev.monotick.leader;

/** How {@code LEADER} tasks find the replica that runs them. */
public enum LeadershipMode {
  /** Replicas elect a leader per group. The default. */
  ELECTED,
  /** There is one replica and no election; it refuses to start beside another, or the reverse. */
  SINGLE_REPLICA
}
