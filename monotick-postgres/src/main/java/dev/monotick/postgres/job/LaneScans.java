package dev.monotick.postgres.job;

import dev.monotick.SchedulerException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.ledger.DatabaseClock;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for jobs that claims pass over, and saves where claims begin: on a thread of its own, after
 * claims and never as a part of them. What fails or is slow here delays no claim; it is done again
 * later, in smaller pieces. Thread-safe.
 */
final class LaneScans implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(LaneScans.class);

  /**
   * At least so many jobs in a gap have the next claim begin there; fewer are moved. Claims are not
   * larger by default.
   */
  private static final int MANY = 5_000;

  private final ScanTable table;
  private final DatabaseClock clock;
  private final ThreadPoolExecutor executor;
  private final AtomicBoolean isBusy = new AtomicBoolean();
  private volatile Runnable found = () -> {};

  LaneScans(Database database, DatabaseClock clock, String timeline) {
    this.table = new ScanTable(database, timeline);
    this.clock = clock;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(),
            action -> {
              Thread thread = new Thread(action, "monotick-scan");
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
  }

  DatabaseClock clock() {
    return clock;
  }

  /** Has something told when jobs were found that claims passed over. */
  void whenFound(Runnable listener) {
    found = listener;
  }

  /** Reads how far others are, if that is not known, or was known too long ago. */
  void inherit(LaneBook book) {
    if (book.isStale(clock.sendTime())) {
      book.inherit(table.load(), clock.sendTime());
    }
  }

  /** Does in the background what is due after a claim, unless it is at it already. */
  void offer(LaneBook book, LaneBook.Plan plan, int most) {
    if (!book.hasWork(clock.sendTime()) || !isBusy.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(() -> run(book, plan, most));
    } catch (RejectedExecutionException e) {
      isBusy.set(false);
      log.debug("the store is closed, others sweep", e);
    }
  }

  private void run(LaneBook book, LaneBook.Plan plan, int most) {
    boolean areFound = false;
    try {
      boolean arePassedOver = sweep(book, plan, most);
      areFound = sweepDue(book.due()) || arePassedOver;
      save(book.hints(), book.hints().toSave(clock.sendTime()));
    } catch (RuntimeException e) { // or claims would never offer anything again
      log.error("looking for jobs that were passed over failed", e);
    } finally {
      isBusy.set(false);
    }
    if (areFound) {
      found.run();
    }
  }

  /** Looks at what hints pass over, if it is time to; returns whether there was a job. */
  private boolean sweep(LaneBook book, LaneBook.Plan plan, int most) {
    LaneBook.Sweep wanted = book.sweep(plan, clock.sendTime());
    if (wanted == null) {
      return false;
    }
    long sent = clock.sendTime();
    try {
      List<LaneBook.Gap> gaps = table.sweep(wanted, Math.max(MANY, most));
      long now = clock.sendTime();
      book.swept(wanted, gaps, now - sent, now);
      return !gaps.isEmpty();
    } catch (SchedulerException e) {
      log.debug("jobs that were passed over are looked for later, in a smaller piece", e);
      long now = clock.sendTime();
      book.sweepFailed(wanted, now - sent, now);
      return false;
    }
  }

  /** Does the same for jobs that became due. */
  private boolean sweepDue(DueScan scan) {
    DueScan.Sweep wanted = scan.sweep(clock.sendTime());
    if (wanted == null) {
      return false;
    }
    long sent = clock.sendTime();
    try {
      ScanTable.Due due = table.sweepDue(wanted);
      long now = clock.sendTime();
      scan.swept(wanted, due.first(), now - sent, now);
      return due.moved() > 0;
    } catch (SchedulerException e) {
      log.debug("due jobs that were passed over are looked for later, in a smaller piece", e);
      long now = clock.sendTime();
      scan.failed(wanted, now - sent, now);
      return false;
    }
  }

  private void save(LaneHints hints, List<LaneHints.Saved> saved) {
    if (saved.isEmpty()) {
      return;
    }
    long sent = clock.sendTime();
    try {
      table.save(saved, hints.timeline());
      long now = clock.sendTime();
      hints.saved(saved, now - sent, now);
    } catch (SchedulerException e) {
      log.debug("how far jobs were claimed is saved later", e);
      long now = clock.sendTime();
      hints.saved(List.of(), now - sent, now);
    }
  }

  /** Saves everything that was not saved. */
  void saveAll(LaneBook book) {
    save(book.hints(), book.hints().unsaved());
  }

  /** Waits until what was offered is done: for tests that compare answers, which it may change. */
  void awaitDone() throws InterruptedException, ExecutionException {
    executor.submit(() -> {}).get();
  }

  /** Ends the thread, when it has done what it is at. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
