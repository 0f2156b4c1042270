package dev.monotick.engine.leader;

import dev.monotick.leader.Fence;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** An election that notes its calls, and lets a test do something in each before its answer. */
public final class ScriptedElection implements LeaderElection {

  public final List<String> calls = new CopyOnWriteArrayList<>();
  private final LeaderElection election;
  private volatile Consumer<String> script = call -> {};
  private volatile Runnable doubtful = () -> {};

  public ScriptedElection(LeaderElection election) {
    this.election = election;
  }

  /** Has the script run in each call, after its effect and before its answer. */
  public void during(Consumer<String> script) {
    this.script = script;
  }

  /** Casts doubt on the term of the newest candidate. */
  void doubt() {
    doubtful.run();
  }

  private void called(String call) {
    calls.add(call);
    script.accept(call);
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
  public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
    Candidacy candidacy = election.candidate(group, replica, timing);
    return new Candidacy() {
      @Override
      public Optional<Fence> tryAcquire() {
        Optional<Fence> fence = candidacy.tryAcquire();
        called("tryAcquire");
        return fence;
      }

      @Override
      public boolean renew(Fence fence) {
        boolean renewed = candidacy.renew(fence);
        called("renew");
        return renewed;
      }

      @Override
      public void release(Fence fence) {
        candidacy.release(fence);
        called("release");
      }

      @Override
      public void abandon() {
        candidacy.abandon();
        called("abandon");
      }

      @Override
      public void whenFreed(Runnable listener) {
        candidacy.whenFreed(listener);
      }

      @Override
      public void whenDoubtful(Runnable listener) {
        doubtful = listener;
      }

      @Override
      public Optional<Duration> mayBeFreeIn() {
        return candidacy.mayBeFreeIn();
      }

      @Override
      public void close() {
        candidacy.close();
      }
    };
  }
}
