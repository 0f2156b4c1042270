package dev.monotick.engine;

import dev.monotick.leader.Fence;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.ledger.LeaderProof;
import java.time.Duration;
import java.time.Instant;

/** A term of this replica. Every guarded action asks it; thread-safe. */
final class Term implements LeaderTerm {

  private final LeaderProof proof;
  private final Instant since;
  private final Lease lease;
  private volatile boolean draining;

  Term(LeaderProof proof, Instant since, Lease lease) {
    this.proof = proof;
    this.since = since;
    this.lease = lease;
  }

  LeaderProof proof() {
    return proof;
  }

  Lease lease() {
    return lease;
  }

  /** From now on running work may end, but none may begin. */
  void drain() {
    draining = true;
  }

  boolean isDraining() {
    return draining;
  }

  /** Says whether guarded work may begin. */
  boolean mayStart() {
    return !draining && lease.isValid();
  }

  @Override
  public String group() {
    return proof.group();
  }

  @Override
  public Fence fence() {
    return proof.fence();
  }

  @Override
  public Instant since() {
    return since;
  }

  @Override
  public boolean isValid() {
    return lease.isValid();
  }

  @Override
  public Duration validFor() {
    return lease.validFor();
  }

  @Override
  public String toString() {
    return "group=" + group() + " fence=" + fence();
  }
}
