package dev.monotick.memory;

import dev.monotick.leader.Candidacy;
import dev.monotick.leader.Fence;
import dev.monotick.leader.LeaderElection;
import dev.monotick.leader.LeaseTiming;
import dev.monotick.replica.ReplicaId;
import java.time.Duration;
import java.util.Optional;

/** An election seen through a link. */
final class LinkedElection implements LeaderElection {

  private final LeaderElection election;
  private final LinkGate gate;

  LinkedElection(LeaderElection election, LinkGate gate) {
    this.election = election;
    this.gate = gate;
  }

  @Override
  public LeaseTiming defaultTiming() {
    return election.defaultTiming();
  }

  @Override
  public Duration pollInterval(LeaseTiming timing) {
    return election.pollInterval(timing);
  }

  @Override
  public void checkCapacity(int groups) {
    election.checkCapacity(groups);
  }

  @Override
  public Candidacy candidate(String group, ReplicaId replica, LeaseTiming timing) {
    return new LinkedCandidacy(election.candidate(group, replica, timing), gate);
  }

  private record LinkedCandidacy(Candidacy candidacy, LinkGate gate) implements Candidacy {

    @Override
    public Optional<Fence> tryAcquire() {
      return gate.call("tryAcquire", candidacy::tryAcquire);
    }

    @Override
    public boolean renew(Fence fence) {
      return gate.call("renew", () -> candidacy.renew(fence));
    }

    @Override
    public void release(Fence fence) {
      gate.run("release", () -> candidacy.release(fence));
    }

    @Override
    public void abandon() {
      candidacy.abandon();
    }

    @Override
    public void whenFreed(Runnable listener) {
      candidacy.whenFreed(gate.listener(listener));
    }

    @Override
    public void whenDoubtful(Runnable listener) {
      candidacy.whenDoubtful(gate.listener(listener));
    }

    @Override
    public Optional<Duration> mayBeFreeIn() {
      return candidacy.mayBeFreeIn();
    }

    @Override
    public void close() {
      candidacy.close();
    }
  }
}
