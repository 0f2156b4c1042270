package dev.monotick.engine.job;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import dev.monotick.internal.StoreFailures;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.JobHandoffStore;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives jobs that other replicas hand off to this one, for one membership. Does nothing if the
 * store {@linkplain dev.monotick.spi.job.JobStore#handoff cannot}.
 *
 * <p>A poll that found nothing may leave an offer under its number. A replica that adds a job may
 * claim it under that number and notify this one. The notification is a hint: the thread of the
 * store that delivers it reads the claim, and begins the job right there if there is a slot. That
 * saves four changes of threads. A notification that is lost costs a poll, because a poll under the
 * same number returns the job as well.
 *
 * <p>The listener's thread and the loop must not both take the jobs of a number. Only one of them
 * wins the step from OFFERED to READING or POLLING; that is the invariant here.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><td>NONE</td><td>no offer</td></tr>
 *   <tr><td>OFFERED</td><td>a job may be claimed under {@link #number}, or was already</td></tr>
 *   <tr><td>POLLING</td><td>the fetcher asks under the number; its answer has the job</td></tr>
 *   <tr><td>READING</td><td>the listener's thread reads the claim</td></tr>
 *   <tr><td>WITHDRAWING</td><td>the process stops and ends the offer</td></tr>
 *   <tr><td>CLOSED</td><td>ends everything; a claim that is read late is handed back</td></tr>
 * </table>
 *
 * <p>Used on the loop, except for {@link #noticed}.
 */
final class JobHandoff {

  private static final Logger log = LoggerFactory.getLogger(JobHandoff.class);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  private enum State {
    NONE,
    OFFERED,
    POLLING,
    READING,
    WITHDRAWING,
    CLOSED
  }

  private final EngineThreads threads;
  private final Optional<JobHandoffStore> store;
  private final MemberId member;
  private final JobSlots slots;
  private final JobFetcher fetcher;
  private final AtomicReference<State> state = new AtomicReference<>(State.NONE);
  private volatile long number; // of the offer; written on the loop in state POLLING

  JobHandoff(JobWorkerContext context, MemberId member, JobSlots slots, JobFetcher fetcher) {
    this.threads = context.threads();
    this.store = context.store().handoff();
    this.member = member;
    this.slots = slots;
    this.fetcher = fetcher;
  }

  /** Begins to receive notifications. */
  void open() {
    store.ifPresent(handoffs -> handoffs.open(member, this::noticed));
  }

  /** Returns whether an offer can be made. */
  boolean isPossible() {
    return store.isPresent();
  }

  /** Begins a poll under a number; false while a claim is being read, which ends soon. */
  boolean beginPoll(long asked) {
    if (!state.compareAndSet(State.OFFERED, State.POLLING)
        && !state.compareAndSet(State.NONE, State.POLLING)) {
      return false;
    }
    number = asked;
    return true;
  }

  /** The poll was answered, and left an offer or not. */
  void polled(boolean isOffered) {
    state.compareAndSet(State.POLLING, isOffered ? State.OFFERED : State.NONE);
  }

  /** A job may have been handed off. On a thread of the store's. */
  private void noticed(long offer, Supplier<Optional<ClaimReply>> claim) {
    if (!state.compareAndSet(State.OFFERED, State.READING)) {
      if (offer == number) {
        threads.execute(fetcher::notified); // a poll that is under way may have been too early
      }
      return;
    }
    // Only now the number stands still. Compared before the step, it could belong to an offer of
    // which the jobs were polled meanwhile, and they would begin a second time.
    if (offer != number) {
      threads.execute(() -> read(Result.of(Optional.empty()), false));
      return;
    }
    Result<Optional<ClaimReply>> result = Result.of(Optional.empty());
    boolean begun = false;
    try {
      result = Result.of(claim.get());
      // A slot asks again whether the membership is held, right before the handler begins.
      begun =
          state.get() == State.READING
              && result.value().map(reply -> slots.tryBegin(reply.jobs())).orElse(false);
    } catch (RuntimeException e) {
      result = Result.failed(e);
    } finally { // whatever happened, the state must not stay READING
      Result<Optional<ClaimReply>> read = result;
      boolean areBegun = begun;
      threads.execute(() -> read(read, areBegun));
    }
  }

  private void read(Result<Optional<ClaimReply>> result, boolean begun) {
    Optional<ClaimReply> claim = result.isValue() ? result.value() : Optional.empty();
    boolean isUsed = claim.map(ClaimReply::used).orElse(false);
    boolean isHeld = state.compareAndSet(State.READING, isUsed ? State.NONE : State.OFFERED);
    boolean isWanted = isHeld && fetcher.isOpen();
    if (begun) {
      slots.begun();
    } else if (isWanted) {
      claim.ifPresent(reply -> slots.add(reply.jobs()));
    } else {
      claim.ifPresent(reply -> slots.giveBack(reply.jobs()));
    }
    if (isHeld && !isWanted) {
      close();
    } else if (isHeld && claim.isPresent()) {
      fetcher.handedOff(claim.get());
    } else if (isHeld) {
      if (!result.isValue()) {
        log.debug("a claim could not be read, it is polled", result.failure());
      }
      fetcher.notified();
    }
  }

  /** Ends the offer while the membership lasts. What is being read or polled ends first. */
  void close() {
    if (state.compareAndSet(State.OFFERED, State.WITHDRAWING)) {
      JobHandoffStore handoffs = store.orElseThrow();
      threads.call(
          "withdrawal of an offer",
          CALL_TIMEOUT,
          () -> handoffs.withdraw(member, number),
          this::withdrawn);
    } else {
      state.compareAndSet(State.NONE, State.CLOSED);
    }
  }

  private void withdrawn(Result<ClaimReply> result) {
    state.set(State.CLOSED);
    if (result.isValue()) {
      slots.giveBack(result.value().jobs());
    } else { // a process that stops need not wait for it: what came under its number is rescued
      log.warn(
          "an offer could not be withdrawn cause={}",
          StoreFailures.describe(result.failure()),
          StoreFailures.trace(result.failure()));
    }
  }

  /** The membership is lost: its offer ends with it. */
  void membershipLost() {
    state.set(State.CLOSED);
    store.ifPresent(handoffs -> handoffs.close(member));
  }

  /** Returns whether nothing is under way. */
  boolean isQuiet() {
    State now = state.get();
    return now != State.READING && now != State.WITHDRAWING;
  }
}
