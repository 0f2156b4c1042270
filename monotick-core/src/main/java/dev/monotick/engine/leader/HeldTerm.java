package dev.monotick.engine.leader;

import dev.monotick.engine.member.LocalLease;
import dev.monotick.leader.Fence;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.spi.tick.LeaderProof;
import java.time.Duration;
import java.time.Instant;

/** A term of this replica. Every guarded action asks it; thread-safe. */
public final class HeldTerm implements LeaderTerm {

  private final LeaderProof proof;
  private final Instant since;
  private final LocalLease lease;
  private volatile boolean draining;

  HeldTerm(LeaderProof proof, Instant since, LocalLease lease) {
    this.proof = proof;
    this.since = since;
    this.lease = lease;
  }

  public LeaderProof proof() {
    return proof;
  }

  LocalLease lease() {
    return lease;
  }

  /** From now on running work may end, but none may begin. */
  public void drain() {
    draining = true;
  }

  public boolean isDraining() {
    return draining;
  }

  /** Says whether guarded work may begin. */
  public boolean mayStart() {
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
