package dev.monotick.postgres.job.lane;

import dev.monotick.error.SchedulerException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.ledger.DatabaseClock;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for jobs that claims pass over, and saves where claims begin: on a thread of its own, after
 * claims and never as a part of them. Between the claims of a replica that is idle, a timer does so
 * every second. What fails or is slow here delays no claim; it is done again later, in smaller
 * pieces. Thread-safe.
 */
public final class ScanUpkeep implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ScanUpkeep.class);

  /**
   * At least so many jobs in a gap have the next claim begin there; fewer are moved. Claims are not
   * larger by default.
   */
  private static final int MANY = 5_000;

  private final WatermarkTable table;
  private final DatabaseClock clock;
  private static final long TIMER_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long SHORTEST_NANOS = Duration.ofMillis(10).toNanos();

  /** A replica that did not claim for so long is full or has stopped, and runs nothing it finds. */
  private static final long ACTIVE_NANOS = Duration.ofSeconds(30).toNanos();

  private final ScheduledThreadPoolExecutor executor;
  private final AtomicBoolean isBusy = new AtomicBoolean();
  private final AtomicBoolean hasTimer = new AtomicBoolean();
  private volatile @Nullable LastClaim last;
  private volatile Runnable found = () -> {};

  /** The last claim, and what was known of lanes then. */
  private record LastClaim(ActiveLanes lanes, int most, long atNanos) {}

  public ScanUpkeep(Database database, DatabaseClock clock, String timeline) {
    this.table = new WatermarkTable(database, timeline);
    this.clock = clock;
    this.executor =
        new ScheduledThreadPoolExecutor(
            1,
            action -> {
              Thread thread = new Thread(action, "monotick-scan");
              thread.setDaemon(true);
              return thread;
            });
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  public DatabaseClock clock() {
    return clock;
  }

  /** Has something told when jobs were found that claims passed over. */
  public void whenFound(Runnable listener) {
    found = listener;
  }

  /** Reads how far others are, if that is not known, or was known too long ago. */
  public void inherit(ActiveLanes book) {
    if (book.isStale(clock.sendTime())) {
      book.inherit(table.load(), clock.sendTime());
    }
  }

  /** Does in the background what is due after a claim, unless it is at it already. */
  public void offer(ActiveLanes book, int most) {
    long now = clock.sendTime();
    last = new LastClaim(book, most, now);
    if (hasTimer.compareAndSet(false, true)) {
      schedule(TIMER_NANOS);
    }
    if (!book.hasWork(now) || !isBusy.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(() -> run(book, most, false));
    } catch (RejectedExecutionException e) {
      isBusy.set(false);
      log.debug("the store is closed, others sweep", e);
    }
  }

  private void schedule(long nanos) {
    try {
      ScheduledFuture<?> unused =
          executor.schedule(this::runWithoutClaim, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("the store is closed, others sweep", e);
    }
  }

  private void runWithoutClaim() {
    long wait = TIMER_NANOS;
    LastClaim claim = last;
    if (claim != null
        && clock.sendTime() - claim.atNanos() < ACTIVE_NANOS
        && isBusy.compareAndSet(false, true)) {
      try {
        run(claim.lanes(), claim.most(), true);
        OptionalLong piece = claim.lanes().untilNextPiece(clock.sendTime());
        wait = Math.max(SHORTEST_NANOS, Math.min(TIMER_NANOS, piece.orElse(TIMER_NANOS)));
      } finally {
        schedule(wait);
      }
    } else {
      schedule(wait);
    }
  }

  private void run(ActiveLanes book, int most, boolean isIdle) {
    boolean areFound = false;
    try {
      boolean arePassedOver = sweep(book, most, isIdle);
      areFound = sweepDue(book.due(), isIdle) || arePassedOver;
      save(book.positions(), book.positions().toSave(clock.sendTime()));
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
  private boolean sweep(ActiveLanes book, int most, boolean isIdle) {
    ActiveLanes.Sweep wanted = book.sweep(isIdle, clock.sendTime());
    if (wanted == null) {
      return false;
    }
    long sent = clock.sendTime();
    try {
      List<ActiveLanes.Gap> gaps = table.sweep(wanted, Math.max(MANY, most));
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
  private boolean sweepDue(DueScan scan, boolean isIdle) {
    DueScan.Sweep wanted = scan.sweep(isIdle, clock.sendTime());
    if (wanted == null) {
      return false;
    }
    long sent = clock.sendTime();
    try {
      WatermarkTable.Due due = table.sweepDue(wanted);
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

  private void save(ScanPositions hints, List<ScanPositions.Saved> saved) {
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
  public void saveAll(ActiveLanes book) {
    save(book.positions(), book.positions().unsaved());
  }

  /** Waits until what was offered is done: for tests that compare answers, which it may change. */
  public void awaitDone() throws InterruptedException, ExecutionException {
    executor.submit(() -> {}).get();
  }

  /** Ends the thread, when it has done what it is at. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
