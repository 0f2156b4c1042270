package dev.monotick.engine.leader;

import dev.monotick.leader.Fence;
import dev.monotick.spi.Store;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import java.util.List;
import java.util.Optional;

/**
 * Leadership where there is one replica: it leads as long as the registry knows no other. It still
 * has terms and fences, so that everything else need not know the difference.
 */
public final class AloneElection implements LeaderElection {

  private final Store store;

  public AloneElection(Store store) {
    this.store = store;
  }

  @Override
  public LeaseTiming defaultTiming() {
    return store.replicas().timing();
  }

  @Override
  public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
    return new Candidacy() {
      @Override
      public Optional<Fence> tryAcquire() {
        return isAlone(replica)
            ? Optional.of(store.ledger().mintFence(group, replica))
            : Optional.empty();
      }

      @Override
      public boolean renew(Fence fence) {
        return isAlone(replica);
      }

      @Override
      public void release(Fence fence) {}

      @Override
      public void abandon() {}

      @Override
      public void close() {}
    };
  }

  private boolean isAlone(MemberId replica) {
    List<MemberInfo> live = store.replicas().live();
    return live.size() == 1 && live.get(0).id().equals(replica);
  }
}
