package dev.monotick.worker;

import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.store.StoreException;
import dev.monotick.store.StoreFailures;
import dev.monotick.thread.Result;
import dev.monotick.thread.Retry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line to the store, on which one exchange is under way at a time. One without a definite answer
 * is repeated as it was.
 */
final class Line {

  private static final Logger log = LoggerFactory.getLogger(Line.class);

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration LOG_EVERY = Duration.ofMinutes(1);

  private final WorkerContext context;
  private final Retry retry;
  private final Retry refusals; // of exchanges one after the other
  private long loggedNanos;
  private final Owner owner;
  private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.FREE);
  private int ends; // of the exchange under way
  private volatile @Nullable JobTurn standby; // written on the loop, while nobody can take it

  private enum Stage {
    FREE,
    /** An exchange is under way. */
    BUSY,
    /** A turn waits for whoever hears of jobs first, on whatever thread. */
    STANDBY
  }

  /** Who takes answers, on the loop where nothing else is said; the line is free again by then. */
  interface Owner {

    /** The turn that stood by was made, on a thread of the store's; the line is not free yet. */
    void made(JobTurn turn, JobTurnReply reply);

    /** The exchange was answered. */
    void answered(List<End> ends, JobTurn turn, JobTurnReply reply);

    /** The store refused the exchange. Jobs are asked for again no sooner than after that time. */
    void refused(List<End> ends, JobTurn turn, Throwable failure, Duration wait);
  }

  /** Creates a line. */
  Line(WorkerContext context, Retry retry, Owner owner) {
    this.context = context;
    this.retry = retry;
    this.refusals = new Retry(context.replica().hashCode());
    this.owner = owner;
  }

  /** Says whether an exchange is under way. On any thread. */
  boolean isBusy() {
    return stage.get() == Stage.BUSY;
  }

  /** Returns how many ends are under way. */
  int ends() {
    return ends;
  }

  /**
   * Leaves a turn with whoever hears of jobs first: that there are some, what they are, and that
   * they are ours then takes one change of threads and not five. Nothing may be under way.
   */
  void standBy(JobTurn turn) {
    standby = turn;
    stage.set(Stage.STANDBY);
  }

  /** Takes back what stands by; false if an exchange is under way, which it may be by now. */
  boolean regain() {
    return stage.compareAndSet(Stage.STANDBY, Stage.FREE) || !isBusy();
  }

  /**
   * Makes the turn that stands by, now; false if there is none. Called on a thread that is the
   * store's.
   */
  boolean takeUp(Function<JobTurn, JobTurnReply> store) {
    if (!stage.compareAndSet(Stage.STANDBY, Stage.BUSY)) {
      return false;
    }
    JobTurn turn = Objects.requireNonNull(standby);
    Result<JobTurnReply> result = made(turn, store);
    try {
      if (result.isValue()) {
        owner.made(turn, result.value());
      }
    } finally { // whatever happened, the line must not stay busy
      context.threads().execute(() -> heard(List.of(), turn, result));
    }
    return true;
  }

  /** Sends an exchange; none may be under way. */
  void send(List<End> batch, JobTurn turn) {
    stage.set(Stage.BUSY);
    ends = batch.size();
    if (context.store().isImmediate()) {
      Result<JobTurnReply> result = made(turn, context.store()::turn);
      context.threads().execute(() -> heard(batch, turn, result)); // not deeper into the stack
      return;
    }
    context
        .threads()
        .call(
            "turn of jobs",
            CALL_TIMEOUT,
            () -> context.store().turn(turn),
            result -> heard(batch, turn, result));
  }

  private static Result<JobTurnReply> made(JobTurn turn, Function<JobTurn, JobTurnReply> store) {
    try {
      return Result.of(store.apply(turn));
    } catch (RuntimeException | Error e) { // whoever waits for it is told either way
      return Result.failed(e);
    }
  }

  private void heard(List<End> batch, JobTurn turn, Result<JobTurnReply> result) {
    if (!result.isValue()) {
      unanswered(batch, turn, result.failure());
      return;
    }
    if (retry.isFailing()) {
      log.info("turn of jobs was answered after {} failures", retry.failures());
      retry.succeeded();
    }
    refusals.succeeded();
    free();
    owner.answered(batch, turn, result.value());
  }

  private void unanswered(List<End> batch, JobTurn turn, Throwable failure) {
    if (turn.closes() && batch.isEmpty()) {
      // Whoever stops need not wait for it: what came under its number is rescued.
      log.warn(
          "turn of jobs could not be closed cause={}",
          StoreFailures.describe(failure),
          StoreFailures.trace(failure));
      free();
      owner.answered(batch, turn, new JobTurnReply(List.of(), List.of(), false, Optional.empty()));
      return;
    }
    if (failure instanceof StoreException || failure instanceof TimeoutException) {
      Duration wait = retry.failed();
      if (retry.failures() == 1) {
        log.warn(
            "turn of jobs got no answer, trying again until there is one cause={}",
            StoreFailures.describe(failure));
      }
      context.threads().schedule(wait, () -> send(batch, turn));
      return;
    }
    Duration wait = refusals.failed();
    if (batch.isEmpty()) { // else the owner says so
      logRefusal(turn, failure);
    }
    free();
    owner.refused(batch, turn, failure, wait);
  }

  /** Once a minute: what is refused once is likely to be refused again and again. */
  private void logRefusal(JobTurn turn, Throwable failure) {
    long nanos = context.time().nanos();
    if (refusals.failures() == 1 || nanos - loggedNanos >= LOG_EVERY.toNanos()) {
      loggedNanos = nanos;
      log.error("the store refused to claim jobs, trying again most={}", turn.most(), failure);
    }
  }

  private void free() {
    ends = 0;
    stage.set(Stage.FREE);
  }
}
