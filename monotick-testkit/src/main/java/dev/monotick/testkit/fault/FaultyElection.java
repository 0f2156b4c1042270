package dev.monotick.testkit.fault;

import dev.monotick.leader.Fence;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.Optional;

/** An election seen through a link. */
final class FaultyElection implements LeaderElection {

  private final LeaderElection election;
  private final FaultInjector faults;

  FaultyElection(LeaderElection election, FaultInjector gate) {
    this.election = election;
    this.faults = gate;
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
  public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
    return new LinkedCandidacy(election.candidate(group, replica, timing), faults);
  }

  private record LinkedCandidacy(Candidacy candidacy, FaultInjector faults) implements Candidacy {

    @Override
    public Optional<Fence> tryAcquire() {
      return faults.call("tryAcquire", candidacy::tryAcquire);
    }

    @Override
    public boolean renew(Fence fence) {
      return faults.call("renew", () -> candidacy.renew(fence));
    }

    @Override
    public void release(Fence fence) {
      faults.run("release", () -> candidacy.release(fence));
    }

    @Override
    public void abandon() {
      candidacy.abandon();
    }

    @Override
    public void whenFreed(Runnable listener) {
      candidacy.whenFreed(faults.listener(listener));
    }

    @Override
    public void whenDoubtful(Runnable listener) {
      candidacy.whenDoubtful(faults.listener(listener));
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
