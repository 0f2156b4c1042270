package dev.monotick.testkit;

/** Ends the code of a replica that was killed while it ran. There is nobody left to handle it. */
final class ReplicaKilled extends Error {

  private static final long serialVersionUID = 1L;

  ReplicaKilled() {
    super("the replica was killed", null, false, false);
  }
}
