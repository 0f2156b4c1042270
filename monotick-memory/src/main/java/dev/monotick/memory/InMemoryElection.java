package dev.monotick.memory;

import dev.monotick.leader.Fence;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.time.Ticker;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The election of an {@link InMemoryStore}: one {@link Lease} for each group. */
final class InMemoryElection implements LeaderElection {

  private final LeaseTiming timing;
  private final Ticker ticker;
  private final TickLedger ledger;
  private final ConcurrentMap<String, Lease> leases = new ConcurrentHashMap<>();

  InMemoryElection(LeaseTiming timing, Ticker ticker, TickLedger ledger) {
    this.timing = timing;
    this.ticker = ticker;
    this.ledger = ledger;
  }

  @Override
  public LeaseTiming defaultTiming() {
    return timing;
  }

  @Override
  public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
    Lease lease = leases.computeIfAbsent(group, Lease::new);
    return new InMemoryCandidacy(lease, replica, timing.leaseDuration().toNanos());
  }

  /**
   * The lease of a group. Its lock guards all fields but the listeners, and is held while a fence
   * is minted, so that the newest fence is always that of the newest term.
   *
   * <p>A lease that is held is not given again even to its holder: if it asks, it does not know of
   * the term, but work of an earlier one may still be running there.
   */
  private final class Lease {

    private final String group;
    private final ListenerList freed = new ListenerList();
    private @Nullable MemberId holder;
    private @Nullable Fence fence;
    private long endsAt; // by the store's ticker

    Lease(String group) {
      this.group = group;
    }

    synchronized Optional<Fence> tryAcquire(MemberId replica, long nanos) {
      if (isHeld()) {
        return Optional.empty();
      }
      Fence minted = ledger.mintFence(group, replica);
      holder = replica;
      fence = minted;
      endsAt = ticker.read() + nanos;
      return Optional.of(minted);
    }

    synchronized boolean renew(MemberId replica, Fence term, long nanos) {
      if (!isHeld() || !replica.equals(holder) || !term.equals(fence)) {
        return false;
      }
      endsAt = ticker.read() + nanos;
      return true;
    }

    void release(MemberId replica, Fence term) {
      synchronized (this) {
        if (!replica.equals(holder) || !term.equals(fence)) {
          return;
        }
        holder = null;
        fence = null;
      }
      freed.publish();
    }

    private boolean isHeld() {
      return holder != null && ticker.read() - endsAt < 0;
    }
  }

  private static final class InMemoryCandidacy implements Candidacy {

    private final Lease lease;
    private final MemberId replica;
    private final long nanos;
    private volatile @Nullable Runnable listener;

    InMemoryCandidacy(Lease lease, MemberId replica, long nanos) {
      this.lease = lease;
      this.replica = replica;
      this.nanos = nanos;
    }

    @Override
    public Optional<Fence> tryAcquire() {
      return lease.tryAcquire(replica, nanos);
    }

    @Override
    public boolean renew(Fence fence) {
      return lease.renew(replica, fence, nanos);
    }

    @Override
    public void release(Fence fence) {
      lease.release(replica, fence);
    }

    @Override
    public void abandon() {
      // There is no connection to drop.
    }

    @Override
    public void whenFreed(Runnable listener) {
      close();
      this.listener = listener;
      lease.freed.add(listener);
    }

    @Override
    public void close() {
      Runnable told = listener;
      if (told != null) {
        lease.freed.remove(told);
      }
    }
  }
}
