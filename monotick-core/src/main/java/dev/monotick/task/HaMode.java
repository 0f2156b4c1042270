package dev.monotick.task;

/** Which replicas run a tick. Every task declares one. */
public enum HaMode {
  /** Each replica runs every tick: caches, local clean-up, idempotent sweeps. */
  EVERY_REPLICA,
  /** The leader of the task's group runs it: work that wants one steady owner. */
  LEADER,
  /** Exactly one replica runs it, whichever claims it in the ledger: digests, signing, bills. */
  ONE_REPLICA,
  /** All replicas run it, and each body claims as much work as it has free slots for. */
  SHARED;

  /** Says whether replicas must agree, through the shared ledger, who runs a tick. */
  public boolean isExclusive() {
    return this == LEADER || this == ONE_REPLICA;
  }
}
