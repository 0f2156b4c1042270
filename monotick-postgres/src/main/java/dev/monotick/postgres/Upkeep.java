package dev.monotick.postgres;

import dev.monotick.error.SchedulerException;
import dev.monotick.internal.StoreFailures;
import dev.monotick.postgres.schema.JobCountFolder;
import dev.monotick.postgres.schema.JobMaintenance;
import dev.monotick.postgres.schema.LedgerMaintenance;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the tables maintained at the start and every hour, and jobs summed up every few seconds,
 * whether or not any replica leads. At the start, because after days without any replica today's
 * partition is missing: what is claimed before it is there would stay in the partition for
 * everything else.
 */
final class Upkeep implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);
  private static final long EVERY_SECONDS = 3600;
  private static final long SUM_UP_EVERY_SECONDS = 10;

  /** So many times it is not looked after nothing was found. */
  private static final int IDLE_ROUNDS = 5;

  private final LedgerMaintenance maintenance;
  private final JobMaintenance jobs;
  private final JobCountFolder sums;
  private final ScheduledThreadPoolExecutor executor;
  private int idleRounds; // touched by the executor's one thread

  Upkeep(LedgerMaintenance maintenance, JobMaintenance jobs, JobCountFolder sums) {
    this.maintenance = maintenance;
    this.jobs = jobs;
    this.sums = sums;
    attempt("maintaining the tables", maintenance::run);
    attempt("preparing the tables of jobs", jobs::begin);
    this.executor =
        new ScheduledThreadPoolExecutor(
            1,
            action -> {
              Thread thread = new Thread(action, "monotick-upkeep");
              thread.setDaemon(true);
              return thread;
            });
    // Replicas that started together do not come together.
    long first = ThreadLocalRandom.current().nextLong(EVERY_SECONDS / 2, EVERY_SECONDS);
    every(first, EVERY_SECONDS, this::run);
    every(SUM_UP_EVERY_SECONDS, SUM_UP_EVERY_SECONDS, this::sumUp);
  }

  private void every(long first, long seconds, Runnable work) {
    ScheduledFuture<?> unused =
        executor.scheduleWithFixedDelay(work, first, seconds, TimeUnit.SECONDS);
  }

  private void run() {
    attempt("maintaining the tables", maintenance::run);
    attempt("maintaining the tables of jobs", jobs::run);
  }

  private void sumUp() {
    if (idleRounds > 0) {
      idleRounds--; // nothing happened lately; look less often
      return;
    }
    attempt("summing up jobs", () -> idleRounds = sums.run() == 0 ? IDLE_ROUNDS : 0);
  }

  private static void attempt(String what, Runnable work) {
    try {
      work.run();
    } catch (SchedulerException e) {
      log.warn(
          "{} was not possible, trying again later cause={}",
          what,
          StoreFailures.describe(e),
          StoreFailures.trace(e));
    } catch (RuntimeException e) { // or the executor would never call again
      log.error("{} failed", what, e);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
