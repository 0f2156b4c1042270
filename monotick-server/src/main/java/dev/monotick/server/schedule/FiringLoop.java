package dev.monotick.server.schedule;

import dev.monotick.server.setting.ScheduleSettings;
import dev.monotick.server.setting.Settings;
import dev.monotick.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;

/**
 * Looks for due schedules when something is due, not only when the task comes round: after each
 * look a timer is set to the nearest time that the database knows, measured by the database. The
 * timer is a helper of the task: when the task has not come for a while, because somebody paused it
 * or the engine stopped, the timer does nothing either.
 */
@Component
class FiringLoop implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(FiringLoop.class);

  /** How soon to look again for rows that others have locked: they may have died. */
  private static final Duration LOCKED = Duration.ofMillis(25);

  /** So many turns of the task may be late before the timer stops. */
  private static final int PATIENCE = 5;

  private final Firing firing;
  private final TickLedger ledger;
  private final TimeSource time;
  private final Duration interval;
  private final int batch;
  private final ReentrantLock looking = new ReentrantLock();
  private final AtomicBoolean again = new AtomicBoolean();
  private final ThreadPoolTaskScheduler timer = timer();
  private volatile @Nullable Turn last;
  private @Nullable ScheduledFuture<?> next; // guarded by this
  private volatile boolean running;

  /** When the task came last, and what it said of this replica. */
  private record Turn(String replica, long at) {}

  FiringLoop(Firing firing, TickLedger ledger, TimeSource time, Settings settings) {
    this.firing = firing;
    this.ledger = ledger;
    this.time = time;
    this.interval = settings.get(ScheduleSettings.INTERVAL);
    this.batch = settings.get(ScheduleSettings.BATCH);
  }

  private static ThreadPoolTaskScheduler timer() {
    ThreadPoolTaskScheduler timer = new ThreadPoolTaskScheduler();
    timer.setThreadNamePrefix("monotick-schedules-");
    timer.setDaemon(true);
    timer.setPoolSize(1);
    timer.setRemoveOnCancelPolicy(true);
    timer.setWaitForTasksToCompleteOnShutdown(true);
    timer.setAwaitTerminationSeconds(5);
    return timer;
  }

  /** The task's turn. */
  void turn(String replica) {
    last = new Turn(replica, time.nanos());
    look(replica);
  }

  /** Something may be due sooner than was known. Call it after the commit. */
  void wake() {
    arm(Duration.ZERO);
  }

  private void timed() {
    Turn turn = last;
    if (turn == null
        || time.nanos() - turn.at() > interval.multipliedBy(PATIENCE).toNanos()
        || !running) {
      return;
    }
    try {
      look(turn.replica());
    } catch (RuntimeException e) {
      log.warn("looking for due schedules failed, the task will try again: {}", e.toString());
    }
  }

  /** One look at a time; who comes meanwhile has it look again, as it may have seen too little. */
  private void look(String replica) {
    again.set(true);
    while (again.get() && looking.tryLock()) {
      try {
        again.set(false);
        lookOnce(replica);
      } finally {
        looking.unlock();
      }
    }
  }

  private void lookOnce(String replica) {
    int fired;
    do {
      fired = firing.fire(batch, replica);
    } while (fired == batch && running);
    ledger
        .untilNext()
        .filter(wait -> wait.compareTo(interval) < 0)
        .ifPresent(wait -> arm(wait.isNegative() ? LOCKED : wait));
  }

  private synchronized void arm(Duration wait) {
    if (!running) {
      return;
    }
    if (next != null) {
      if (next.getDelay(TimeUnit.NANOSECONDS) <= wait.toNanos() && !next.isDone()) {
        return;
      }
      next.cancel(false);
    }
    try {
      next =
          timer.getScheduledExecutor().schedule(this::timed, wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("stopping, no further look");
    }
  }

  @Override
  public void start() {
    timer.initialize();
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    timer.shutdown();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Stops before the engine does. */
  @Override
  public int getPhase() {
    return 1;
  }
}
