package dev.monotick.engine;

import dev.monotick.store.StoreException;
import dev.monotick.store.StoreFailures;
import dev.monotick.thread.EngineThreads;
import dev.monotick.thread.Result;
import dev.monotick.thread.Retry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests of one kind to the store: one call at a time, with all that gathered while the
 * last one was on its way. A call without a definite answer is repeated as it was until there is
 * one; every request carries what makes that harmless.
 */
final class Batcher<Q, R> {

  private static final Logger log = LoggerFactory.getLogger(Batcher.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int LARGEST = 2_000;
  private static final Duration LOG_EVERY = Duration.ofMinutes(1);
  private static final long FIRST_MILLIS = 100;
  private static final long LONGEST_MILLIS = 5_000;

  private final EngineThreads threads;
  private final String what;
  private final boolean inline;
  private final Function<List<Q>, List<R>> call;
  private final Retry retry;
  private final ArrayDeque<Item<Q, R>> queue = new ArrayDeque<>();
  private boolean inFlight;
  private IntConsumer refusedListener = count -> {};
  private int waiting; // requests that were refused, until they are sent again
  private int refused; // requests that were refused and not answered since
  private boolean refusalLogged; // lately

  /** A request, and how often it was refused. One that was is sent alone from then on. */
  private record Item<Q, R>(Q request, Consumer<R> reply, int refusals) {

    boolean alone() {
      return refusals > 0;
    }
  }

  /**
   * Creates one.
   *
   * @param inline whether the call cannot block, so that it is made on the loop
   */
  Batcher(
      EngineThreads threads,
      String what,
      boolean inline,
      Function<List<Q>, List<R>> call,
      int seed) {
    this.threads = threads;
    this.what = what;
    this.inline = inline;
    this.call = call;
    this.retry = new Retry(seed);
  }

  /** Has a listener told how many requests are refused and not answered, when that changes. */
  void whenRefused(IntConsumer listener) {
    refusedListener = listener;
  }

  void submit(Q request, Consumer<R> reply) {
    submit(new Item<>(request, reply, 0));
  }

  private void submit(Item<Q, R> item) {
    queue.add(item);
    if (!inFlight) {
      // Sent as an action of its own, so that what else is due right now goes with it.
      inFlight = true;
      threads.execute(this::sendNext);
    }
  }

  boolean isIdle() {
    return !inFlight && queue.isEmpty() && waiting == 0;
  }

  private void sendNext() {
    if (queue.isEmpty()) {
      inFlight = false;
      return;
    }
    List<Item<Q, R>> batch = new ArrayList<>(Math.min(queue.size(), LARGEST));
    do {
      batch.add(queue.remove());
    } while (!batch.get(0).alone() && batch.size() < LARGEST && nextMayJoin());
    send(batch);
  }

  private boolean nextMayJoin() {
    Item<Q, R> next = queue.peek();
    return next != null && !next.alone();
  }

  private void send(List<Item<Q, R>> batch) {
    List<Q> requests = new ArrayList<>(batch.size());
    for (Item<Q, R> item : batch) {
      requests.add(item.request());
    }
    if (inline) {
      answered(batch, inlineResult(requests));
      return;
    }
    threads.call(what, TIMEOUT, () -> call.apply(requests), result -> answered(batch, result));
  }

  private void answered(List<Item<Q, R>> batch, Result<List<R>> result) {
    if (!result.isValue()) {
      unanswered(batch, result.failure());
      return;
    }
    if (retry.isFailing()) {
      log.info("{} was answered after {} failures", what, retry.failures());
      retry.succeeded();
    }
    List<R> replies = result.value();
    if (replies.size() != batch.size()) {
      unanswered(
          batch,
          new IllegalStateException(
              what + " sent " + batch.size() + " requests and got " + replies.size() + " replies"));
      return;
    }
    if (batch.get(0).alone()) {
      refusedListener.accept(--refused);
    }
    for (int i = 0; i < replies.size(); i++) {
      deliver(batch.get(i), replies.get(i));
    }
    goOn();
  }

  /**
   * What one reply leads to may fail (a metric, a schedule's predicate); the others still count.
   */
  private void deliver(Item<Q, R> item, R reply) {
    try {
      item.reply().accept(reply);
    } catch (RuntimeException e) {
      log.error("{} was answered and could not be followed up request={}", what, item.request(), e);
    }
  }

  private void goOn() {
    if (inline) {
      threads.execute(this::sendNext); // not deeper into the stack
    } else {
      sendNext();
    }
  }

  private void unanswered(List<Item<Q, R>> batch, Throwable failure) {
    boolean silence = failure instanceof StoreException || failure instanceof TimeoutException;
    if (silence) {
      Duration wait = retry.failed();
      if (retry.failures() == 1) {
        log.warn(
            "{} got no answer, trying again until there is one cause={}",
            what,
            StoreFailures.describe(failure));
      }
      threads.schedule(wait, () -> send(batch));
      return;
    }
    // The store answered with an error. Others must not wait for the one request that is to
    // blame: from here on each goes alone, and after those that are waiting.
    for (Item<Q, R> item : batch) {
      refused += item.alone() ? 0 : 1;
      waiting++;
      threads.schedule(
          delay(item.refusals()),
          () -> {
            waiting--;
            submit(new Item<>(item.request(), item.reply(), item.refusals() + 1));
          });
    }
    refusedListener.accept(refused);
    logRefusal(failure);
    goOn();
  }

  private static Duration delay(int refusals) {
    return Duration.ofMillis(Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(refusals, 10)));
  }

  private void logRefusal(Throwable failure) {
    if (!refusalLogged) {
      refusalLogged = true;
      threads.schedule(LOG_EVERY, () -> refusalLogged = false);
      log.error("{} was refused, trying again requests={}", what, refused, failure);
    }
  }

  private Result<List<R>> inlineResult(List<Q> requests) {
    try {
      return Result.of(call.apply(requests));
    } catch (RuntimeException e) {
      return Result.failed(e);
    }
  }
}
