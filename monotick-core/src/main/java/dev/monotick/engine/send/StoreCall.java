package dev.monotick.engine.send;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import dev.monotick.error.StoreException;
import dev.monotick.internal.StoreFailures;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call to the store, one at a time. A call without a definite answer (a lost connection, no reply
 * within ten seconds) may have taken effect, so the same request is sent again, after a growing
 * delay, until the store answers. Requests must therefore be harmless when they are repeated.
 *
 * <p>An error that the store itself reports is an answer: the request was refused and is not
 * repeated here.
 *
 * <p>Used on the loop, except for {@link #isBusy}. Replies arrive on the loop as actions of their
 * own, when the call is free again.
 *
 * @param <Q> type of the request
 * @param <R> type of the reply
 */
public final class StoreCall<Q, R> {

  private static final Logger log = LoggerFactory.getLogger(StoreCall.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private enum State {
    IDLE,
    /** The store has the request, as far as is known. */
    SENDING,
    /** The request got no answer and waits to be sent again. */
    BACKING_OFF
  }

  private final EngineThreads threads;
  private final Target target;
  private final Function<Q, R> call;
  private final Replies<Q, R> replies;
  private final ResendDelay delay;
  private volatile State state = State.IDLE; // written on the loop

  /**
   * What is called.
   *
   * @param what names the call in logs
   * @param isImmediate whether the call never blocks, so that it is made on the loop
   * @param seed makes the delays of replicas differ
   */
  public record Target(String what, boolean isImmediate, int seed) {}

  /** Takes replies, on the loop. */
  public interface Replies<Q, R> {

    /** Takes the store's answer. */
    void answered(Q request, R reply);

    /** Takes the error with which the store refused the request. */
    void refused(Q request, Throwable failure);
  }

  /** Creates a call. */
  public StoreCall(
      EngineThreads threads, Target target, Function<Q, R> call, Replies<Q, R> replies) {
    this.threads = threads;
    this.target = target;
    this.call = call;
    this.replies = replies;
    this.delay = new ResendDelay(target.seed());
  }

  /** Returns whether a request has no answer yet. On any thread. */
  public boolean isBusy() {
    return state != State.IDLE;
  }

  /** Sends a request. None may be under way. */
  public void send(Q request) {
    state = State.SENDING;
    if (target.isImmediate()) {
      Result<R> result = made(request);
      threads.execute(() -> answered(request, result)); // not deeper into the stack
    } else {
      threads.call(
          target.what(), TIMEOUT, () -> call.apply(request), result -> answered(request, result));
    }
  }

  private Result<R> made(Q request) {
    try {
      return Result.of(call.apply(request));
    } catch (RuntimeException | Error e) { // whatever it was, the call is over
      return Result.failed(e);
    }
  }

  private void answered(Q request, Result<R> result) {
    if (!result.isValue() && isSilence(result.failure())) {
      backOff(request, result.failure());
      return;
    }
    state = State.IDLE;
    if (!result.isValue()) {
      replies.refused(request, result.failure());
      return;
    }
    if (delay.isFailing()) {
      log.info("{} was answered after {} failures", target.what(), delay.failures());
      delay.succeeded();
    }
    replies.answered(request, result.value());
  }

  private static boolean isSilence(Throwable failure) {
    return failure instanceof StoreException || failure instanceof TimeoutException;
  }

  private void backOff(Q request, Throwable failure) {
    state = State.BACKING_OFF;
    Duration wait = delay.failed();
    if (delay.failures() == 1) {
      log.warn(
          "{} got no answer, trying again until there is one cause={}",
          target.what(),
          StoreFailures.describe(failure));
    }
    threads.schedule(wait, () -> send(request));
  }
}
