package dev.monotick.engine.send;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests of one kind to the store, in batches, until each has an answer.
 *
 * <p>One batch is under way at a time; what is added meanwhile forms the next one, so batches grow
 * with the load. A batch without a definite answer is repeated as it was, see {@link StoreCall}.
 *
 * <p>A batch that the store refuses (it answers with an error) may hold one bad request among good
 * ones. From then on each of its requests is sent alone and unchanged, after a delay that doubles
 * up to the owner's limit, until the store takes it: what was done is done, so no other request is
 * put in its place, and the missing privilege or table may return. Refused requests alternate with
 * batches of new ones, so neither keeps the other waiting.
 *
 * <p>The owner decides when to send. It may also {@linkplain #take take} a batch to send it along
 * with another call of its own, and then {@linkplain #returned returns} it with the result.
 *
 * <p>Used on the loop, where nothing else is said. Requests are compared by identity.
 *
 * @param <Q> type of the request
 * @param <R> type of the reply
 */
public final class SendUntilAnswered<Q, R> {

  private static final Logger log = LoggerFactory.getLogger(SendUntilAnswered.class);
  private static final Duration LOG_EVERY = Duration.ofMinutes(1);

  private final EngineThreads threads;
  private final StoreCall.Target target;
  private final Duration longestDelay;
  private final Owner<Q, R> owner;
  private final StoreCall<List<Q>, List<R>> call;
  private final ConcurrentLinkedQueue<Q> queue = new ConcurrentLinkedQueue<>(); // never refused
  private final AtomicInteger waiting = new AtomicInteger(); // in the queue, at most
  private final IdentityHashMap<Q, Integer> refusals = new IdentityHashMap<>(); // how often each
  private final Set<Delayed<Q>> delayed = new HashSet<>(); // refused, not due yet
  private final ArrayDeque<Q> due = new ArrayDeque<>(); // refused before, to be sent alone
  private int sending; // how many requests are under way
  private boolean lastWasRefused; // the last batch was a request that was refused before
  private boolean isLogged; // a refusal, within the last minute
  private boolean wasLogged; // a refusal, ever

  /** Sends batches and takes replies. Called on the loop, except for {@link #send}. */
  public interface Owner<Q, R> {

    /** Sends a batch to the store and returns one reply for each request. May block. */
    List<R> send(List<Q> batch);

    /**
     * Returns a test for a new batch: it takes requests one by one, the first of which always is in
     * the batch, and returns whether the batch may have the request as well.
     */
    Predicate<Q> newBatch();

    /** Takes the replies to a batch that this sent, in its order. */
    void answered(List<Q> batch, List<R> replies);

    /** Nothing is under way, or a refused request is due: decides what to send next. */
    void ready();

    /** Takes the number of requests that were refused and have no answer yet. */
    void refusalsChanged(int count);

    /** Describes a request in logs. */
    String describe(Q request);
  }

  /** Requests that become due at the same time. */
  private static final class Delayed<Q> {

    private final List<Q> requests;
    private EngineThreads.Cancellable timer = () -> {};

    Delayed(List<Q> requests) {
      this.requests = requests;
    }
  }

  /**
   * Creates it without requests.
   *
   * @param longestDelay the longest delay before a refused request is sent again
   */
  public SendUntilAnswered(
      EngineThreads threads, StoreCall.Target target, Duration longestDelay, Owner<Q, R> owner) {
    this.threads = threads;
    this.target = target;
    this.longestDelay = longestDelay;
    this.owner = owner;
    this.call = new StoreCall<>(threads, target, owner::send, new Answers());
  }

  /** Adds a request, to be sent when the owner decides. On any thread. */
  public void add(Q request) {
    queue.add(request);
    waiting.incrementAndGet();
  }

  /** Returns how many requests wait that were never sent. On any thread. */
  public int waiting() {
    return waiting.get();
  }

  /** Returns whether a batch is under way. On any thread. */
  public boolean isSending() {
    return call.isBusy();
  }

  /** Returns how many new requests are under way: 0 also while a refused one is. */
  public int sendingNew() {
    return lastWasRefused ? 0 : sending;
  }

  /** Returns how many requests were refused and have no answer yet. */
  public int refused() {
    return refusals.size();
  }

  /** Returns whether every request has an answer. */
  public boolean isIdle() {
    return !call.isBusy() && waiting.get() == 0 && refusals.isEmpty();
  }

  /** Sends the requests that wait, as many as may go together, if nothing is under way. */
  public void sendWaiting() {
    if (!call.isBusy() && waiting.get() > 0) {
      lastWasRefused = false;
      send(take());
    }
  }

  /** Sends a refused request that is due, if nothing is under way and it is its turn. */
  public void sendRefused() {
    boolean isItsTurn = !lastWasRefused || waiting.get() == 0;
    if (!call.isBusy() && !due.isEmpty() && isItsTurn) {
      lastWasRefused = true;
      send(List.of(due.remove()));
    }
  }

  private void send(List<Q> batch) {
    sending = batch.size();
    call.send(batch);
  }

  /** Returns the request that has waited longest, null if none waits. On any thread. */
  public @Nullable Q first() {
    return queue.peek();
  }

  /** Removes and returns the first requests that wait, as many as may go together. */
  public List<Q> take() {
    List<Q> batch = new ArrayList<>();
    Predicate<Q> mayJoin = owner.newBatch();
    for (Q next = queue.peek();
        next != null && (mayJoin.test(next) || batch.isEmpty());
        next = queue.peek()) {
      batch.add(queue.remove()); // only the loop takes from it
    }
    waiting.addAndGet(-batch.size());
    if (!batch.isEmpty()) {
      lastWasRefused = false; // so refused requests get their turn, whoever sends this batch
    }
    return batch;
  }

  /**
   * Takes the result of a call with which the owner sent a batch that it {@linkplain #take took}.
   * Returns whether the batch was answered.
   */
  public boolean returned(List<Q> batch, Result<List<R>> result) {
    if (!result.isValue()) {
      refuse(batch, result.failure());
    } else if (result.value().size() != batch.size()) {
      String message = batch.size() + " requests got " + result.value().size() + " replies";
      refuse(batch, new IllegalStateException(message));
    } else {
      forgetRefusals(batch);
      return true;
    }
    return false;
  }

  private void forgetRefusals(List<Q> batch) {
    if (refusals.isEmpty()) {
      return; // as nearly always
    }
    int before = refusals.size();
    batch.forEach(refusals::remove);
    if (refusals.size() < before) {
      if (refusals.isEmpty()) {
        log.info("{} is accepted again after it was refused", target.what());
      }
      owner.refusalsChanged(refusals.size());
    }
  }

  private void refuse(List<Q> batch, Throwable failure) {
    if (batch.isEmpty()) {
      return;
    }
    int times = 0;
    for (Q request : batch) {
      times = refusals.merge(request, 1, Integer::sum);
    }
    Delayed<Q> next = new Delayed<>(batch);
    delayed.add(next);
    Duration delay =
        ResendDelay.after(times, longestDelay); // one that was refused before was alone
    next.timer = threads.schedule(delay, () -> becomeDue(next));
    owner.refusalsChanged(refusals.size());
    logRefusal(batch.get(0), failure);
  }

  private void becomeDue(Delayed<Q> next) {
    if (delayed.remove(next)) {
      due.addAll(next.requests);
      owner.ready();
    }
  }

  /** Makes all refused requests due at once, because the process may end before their time. */
  public void hurry() {
    for (Delayed<Q> next : new ArrayList<>(delayed)) {
      next.timer.cancel();
      becomeDue(next);
    }
  }

  /** All of them may be refused for the same reason, so this is logged once a minute. */
  private void logRefusal(Q request, Throwable failure) {
    if (isLogged) {
      return;
    }
    isLogged = true;
    threads.schedule(LOG_EVERY, () -> isLogged = false);
    log.error(
        "{} was refused by the store; the requests are kept and sent again until it accepts them"
            + " refused={} first={} error={}",
        target.what(),
        refusals.size(),
        owner.describe(request),
        String.valueOf(failure),
        wasLogged ? null : failure); // its stack once
    wasLogged = true;
  }

  private final class Answers implements StoreCall.Replies<List<Q>, List<R>> {

    @Override
    public void answered(List<Q> batch, List<R> replies) {
      if (returned(batch, Result.of(replies))) {
        owner.answered(batch, replies);
      }
      owner.ready();
    }

    @Override
    public void refused(List<Q> batch, Throwable failure) {
      refuse(batch, failure);
      owner.ready();
    }
  }
}
