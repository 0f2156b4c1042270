package dev.monotick.engine;

import dev.monotick.leader.Candidacy;
import dev.monotick.leader.Fence;
import dev.monotick.leader.LeaderElection;
import dev.monotick.leader.LeaseTiming;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.store.Store;
import java.util.List;
import java.util.Optional;

/**
 * Leadership where there is one replica: it leads as long as the registry knows no other. It still
 * has terms and fences, so that everything else need not know the difference.
 */
final class AloneElection implements LeaderElection {

  private final Store store;

  AloneElection(Store store) {
    this.store = store;
  }

  @Override
  public LeaseTiming defaultTiming() {
    return store.replicas().timing();
  }

  @Override
  public Candidacy candidate(String group, ReplicaId replica, LeaseTiming timing) {
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

  private boolean isAlone(ReplicaId replica) {
    List<ReplicaInfo> live = store.replicas().live();
    return live.size() == 1 && live.get(0).id().equals(replica);
  }
}
