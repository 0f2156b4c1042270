package dev.monotick.worker;

import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.store.StoreException;
import dev.monotick.thread.Result;
import dev.monotick.thread.Retry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line to the store, on which one exchange is under way at a time. One without a definite answer
 * is repeated as it was.
 */
final class Line {

  private static final Logger log = LoggerFactory.getLogger(Line.class);

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  private final WorkerContext context;
  private final Retry retry;
  private final Owner owner;
  private int ends; // of the exchange under way
  private volatile boolean busy; // written on the loop

  /** Who takes answers, on the loop; the line is free again by then. */
  interface Owner {

    /** The exchange was answered. */
    void answered(List<End> ends, JobTurn turn, JobTurnReply reply);

    /** The store did not like it; it is not to be annoyed again before that time has passed. */
    void refused(List<End> ends, Throwable failure, Duration wait);
  }

  /** Creates a line. */
  Line(WorkerContext context, Retry retry, Owner owner) {
    this.context = context;
    this.retry = retry;
    this.owner = owner;
  }

  /** Says whether an exchange is under way. On any thread. */
  boolean isBusy() {
    return busy;
  }

  /** Returns how many ends are under way. */
  int ends() {
    return ends;
  }

  /** Sends an exchange; none may be under way. */
  void send(List<End> batch, JobTurn turn) {
    busy = true;
    ends = batch.size();
    if (context.store().isImmediate()) {
      Result<JobTurnReply> result = immediate(turn);
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

  private Result<JobTurnReply> immediate(JobTurn turn) {
    try {
      return Result.of(context.store().turn(turn));
    } catch (RuntimeException e) {
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
    free();
    owner.answered(batch, turn, result.value());
  }

  private void unanswered(List<End> batch, JobTurn turn, Throwable failure) {
    Duration wait = retry.failed();
    if (failure instanceof StoreException || failure instanceof TimeoutException) {
      if (retry.failures() == 1) {
        log.warn("turn of jobs got no answer, trying again until there is one", failure);
      }
      context.threads().schedule(wait, () -> send(batch, turn));
      return;
    }
    log.error("turn of jobs was refused ends={} most={}", batch.size(), turn.most(), failure);
    free();
    owner.refused(batch, failure, wait);
  }

  private void free() {
    ends = 0;
    busy = false;
  }
}
