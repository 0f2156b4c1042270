package dev.monotick.testkit;

import dev.monotick.leader.Fence;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.spi.Store;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.testkit.Machine.Life;
import java.time.Duration;
import java.util.Optional;

/** The store as one process reaches it, with the checks reading along. */
final class Wire implements Store {

  private final Simulation simulation;
  private final Life process;
  private final InMemoryStore store;
  private final TickLedger ledger;
  private final JobStore jobs;

  Wire(Simulation simulation, Life process) {
    this.simulation = simulation;
    this.process = process;
    this.store = simulation.store();
    this.ledger = new WireLedger(simulation, process, this::hint);
    this.jobs = WireJobs.of(simulation, process, this::hint);
  }

  /** News nobody may count on: lost with the connection, and sometimes anyway. */
  private void hint(Runnable news) {
    boolean lost =
        process.machine.repliesCut
            || simulation.isStoreDown()
            || !process.threads.isAlive()
            || simulation.plan().one(8);
    if (!lost) {
      news.run();
    }
  }

  @Override
  public TickLedger ledger() {
    return ledger;
  }

  @Override
  public JobStore jobs() {
    return jobs;
  }

  @Override
  public MemberRegistry replicas() {
    return store.replicas();
  }

  @Override
  public LeaderElection leaders() {
    LeaderElection election = store.leaders();
    return new LeaderElection() {
      @Override
      public LeaseTiming defaultTiming() {
        return election.defaultTiming();
      }

      @Override
      public Duration pollInterval(LeaseTiming timing) {
        return election.pollInterval(timing);
      }

      @Override
      public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
        return new WireCandidacy(election.candidate(group, replica, timing));
      }
    };
  }

  private final class WireCandidacy implements Candidacy {

    private final Candidacy candidacy;

    WireCandidacy(Candidacy candidacy) {
      this.candidacy = candidacy;
    }

    @Override
    public Optional<Fence> tryAcquire() {
      Optional<Fence> granted = candidacy.tryAcquire();
      granted.ifPresent(fence -> simulation.leaders().granted(process, fence));
      return granted;
    }

    @Override
    public boolean renew(Fence fence) {
      boolean renewed = candidacy.renew(fence);
      if (renewed) {
        simulation.leaders().renewed(process, fence);
      }
      return renewed;
    }

    @Override
    public void release(Fence fence) {
      candidacy.release(fence);
      simulation.leaders().released(fence);
    }

    @Override
    public void abandon() {
      candidacy.abandon();
    }

    @Override
    public void whenFreed(Runnable listener) {
      candidacy.whenFreed(() -> hint(listener));
    }

    @Override
    public void close() {
      candidacy.close();
    }
  }
}
