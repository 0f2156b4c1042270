package dev.monotick.server.schedule.fire;

import dev.monotick.Monotick;
import dev.monotick.event.EventListener;
import dev.monotick.server.database.ReplicaNotifications;
import dev.monotick.server.engine.EngineLifecycle;
import dev.monotick.server.setting.ScheduleSettings;
import dev.monotick.server.setting.ServerSettings;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;

/**
 * Looks for due schedules when something is due, not only when the task comes round: after each
 * look a timer is set to the nearest time that the database knows, measured by the database. What
 * is changed at another replica makes it look, too. The timer is a helper of the task: when
 * somebody has paused that, or the engine has stopped, the timer does nothing either.
 */
@Component
public class FiringLoop implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(FiringLoop.class);

  /** How soon to look again for rows that others have locked: they may have died. */
  private static final Duration LOCKED = Duration.ofMillis(25);

  /** The task that this is the body of. */
  public static final String TASK = "schedule-firing";

  /** What replicas tell each other. */
  private static final String CHANGED = "schedules";

  private final ScheduleFirer firing;
  private final FiringStore ledger;
  private final Replica replica;
  private final Duration interval;
  private final int batch;
  private final ReentrantLock polling = new ReentrantLock();
  private final AtomicBoolean again = new AtomicBoolean();
  private final ThreadPoolTaskScheduler timer = timer();
  private @Nullable ScheduledFuture<?> next; // guarded by this
  private volatile boolean running;
  private volatile EventListener.Subscription notified = () -> {};

  /**
   * This replica and the others. The engine is asked late, as it is made of this.
   *
   * @param engine what this replica is called
   * @param life whether it takes work
   * @param notifications tell and hear of changes
   */
  @Component
  record Replica(
      ObjectProvider<Monotick> engine,
      ObjectProvider<EngineLifecycle> life,
      ReplicaNotifications notifications) {

    /** Says whether it takes work, and nobody has paused the task here. */
    boolean isAtWork() {
      return life.getObject().state() == EngineLifecycle.State.RUNNING
          && engine.getObject().tasks().stream()
              .noneMatch(task -> task.name().equals(TASK) && task.paused() != null);
    }

    String name() {
      return engine.getObject().replicaName();
    }
  }

  FiringLoop(ScheduleFirer firing, FiringStore ledger, Replica replica, ServerSettings settings) {
    this.firing = firing;
    this.ledger = ledger;
    this.replica = replica;
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
  public void runOnce() {
    poll(replica.name());
  }

  /** Something may be due sooner than was known, here and elsewhere. Call it after the commit. */
  public void pollSoon() {
    arm(Duration.ZERO);
    replica.notifications().publish(CHANGED);
  }

  /** Something may be due sooner than was known; others will see by themselves. */
  public void pollNow() {
    arm(Duration.ZERO);
  }

  private void timed() {
    synchronized (this) {
      next = null; // it is under way: whoever wants a look from now on wants another one
    }
    try {
      if (running && replica.isAtWork()) {
        poll(replica.name());
      }
    } catch (RuntimeException e) {
      log.warn("looking for due schedules failed, the task will try again: {}", e.toString());
    }
  }

  /** One look at a time; who comes meanwhile has it look again, as it may have seen too little. */
  private void poll(String name) {
    again.set(true);
    while (again.get() && polling.tryLock()) {
      try {
        again.set(false);
        pollOnce(name);
      } finally {
        polling.unlock();
      }
    }
  }

  private void pollOnce(String name) {
    int fired;
    do {
      fired = firing.fire(batch, name);
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
    notified = replica.notifications().listen(CHANGED, () -> arm(Duration.ZERO));
    arm(Duration.ZERO); // the task's first turn may be a whole interval away
  }

  @Override
  public void stop() {
    running = false;
    notified.close();
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
