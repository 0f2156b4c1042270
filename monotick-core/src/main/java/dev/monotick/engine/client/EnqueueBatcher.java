package dev.monotick.engine.client;

import static java.util.Objects.requireNonNull;

import dev.monotick.error.StoreException;
import dev.monotick.job.Enqueued;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Adds single jobs: those that many threads want at a time share a transaction. Whoever comes while
 * nobody is at it goes at once, with all that wait; so one thread alone waits for nobody, and
 * batches grow with the number of threads by themselves.
 */
final class EnqueueBatcher {

  private static final int LARGEST = 500;

  private final JobStore store;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<EnqueueCall> wishes = new ArrayDeque<>(); // guarded by the lock
  private boolean busy; // guarded by the lock

  /** A job that a thread waits for. */
  private static final class EnqueueCall {
    final JobDraft draft;
    @Nullable Enqueued reply; // guarded by the lock, as is the failure
    @Nullable RuntimeException failure;

    EnqueueCall(JobDraft draft) {
      this.draft = draft;
    }

    boolean isDone() {
      return reply != null || failure != null;
    }
  }

  EnqueueBatcher(JobStore store) {
    this.store = store;
  }

  Enqueued enqueue(JobDraft draft) {
    EnqueueCall wish = new EnqueueCall(draft);
    lock.lock();
    try {
      wishes.add(wish);
      while (!wish.isDone()) {
        if (busy) {
          changed.awaitUninterruptibly();
        } else {
          goWithAll();
        }
      }
      if (wish.failure != null) {
        throw wish.failure;
      }
      return requireNonNull(wish.reply);
    } finally {
      lock.unlock();
    }
  }

  /** Called with the lock, which is free while the store is asked. */
  private void goWithAll() {
    List<EnqueueCall> batch = new ArrayList<>();
    while (!wishes.isEmpty() && batch.size() < LARGEST) {
      batch.add(wishes.remove());
    }
    busy = true;
    lock.unlock();
    List<Outcome> outcomes = List.of();
    try {
      outcomes = add(batch);
    } finally {
      lock.lock();
      busy = false;
      for (int i = 0; i < batch.size(); i++) {
        EnqueueCall wish = batch.get(i);
        if (outcomes.isEmpty()) { // an Error goes up; whoever waits must not wait for ever
          wish.failure = new IllegalStateException("adding jobs failed");
        } else {
          wish.reply = outcomes.get(i).reply();
          wish.failure = outcomes.get(i).failure();
        }
      }
      changed.signalAll();
    }
  }

  private record Outcome(@Nullable Enqueued reply, @Nullable RuntimeException failure) {}

  private List<Outcome> add(List<EnqueueCall> batch) {
    List<JobDraft> drafts = batch.stream().map(wish -> wish.draft).toList();
    try {
      return store.enqueue(EnqueueRequest.of(drafts)).stream()
          .map(reply -> new Outcome(reply, null))
          .toList();
    } catch (StoreException e) {
      return drafts.stream().map(draft -> new Outcome(null, e)).toList();
    } catch (RuntimeException e) {
      if (drafts.size() == 1) {
        return List.of(new Outcome(null, e));
      }
      // One of them is to blame; the others must not pay for it.
      return drafts.stream().map(this::addAlone).toList();
    }
  }

  private Outcome addAlone(JobDraft draft) {
    try {
      return new Outcome(store.enqueue(EnqueueRequest.of(List.of(draft))).get(0), null);
    } catch (RuntimeException e) {
      return new Outcome(null, e);
    }
  }
}
