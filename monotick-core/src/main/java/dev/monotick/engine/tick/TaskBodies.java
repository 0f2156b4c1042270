package dev.monotick.engine.tick;

import dev.monotick.engine.base.EngineContext;
import dev.monotick.engine.observe.EngineTelemetry;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.internal.StoreFailures;
import dev.monotick.task.HaMode;
import dev.monotick.task.TaskBody;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bodies that run on this replica: starts them, times them out, cancels them, misses none. */
public final class TaskBodies {

  private static final Logger log = LoggerFactory.getLogger(TaskBodies.class);

  /** How long a cancelled body may go on before it is reported. */
  private static final Duration STUCK_AFTER = Duration.ofSeconds(10);

  private final EngineContext context;
  private final Supplier<Instant> now;
  private final EngineTelemetry telemetry;
  private final Set<BodyRun> running = new LinkedHashSet<>();
  private final Deadlines deadlines;
  private @Nullable Runnable whenChanged;

  public TaskBodies(EngineContext context, Supplier<Instant> now, EngineTelemetry telemetry) {
    this.context = context;
    this.now = now;
    this.telemetry = telemetry;
    this.deadlines = new Deadlines(context.threads(), context.time(), this::timedOut);
  }

  EngineContext context() {
    return context;
  }

  /** Returns the bodies that run now. */
  public List<BodyRun> running() {
    return List.copyOf(running);
  }

  public boolean anyRuns(Predicate<BodyRun> which) {
    return running.stream().anyMatch(which);
  }

  /** Has the action run whenever a body ended. */
  public void whenEnded(@Nullable Runnable action) {
    whenChanged = action;
  }

  BodyRun start(TaskLoop loop, ClaimedTick claimed) {
    BodyRun run = new BodyRun(loop, claimed, this, false);
    launch(run, loop.spec());
    return run;
  }

  /** Called by a body, on its own thread. */
  void startInSlot(BodyRun parent, TaskBody work) {
    TaskLoop loop = parent.loop();
    if (parent.isCancelled()) {
      throw new IllegalStateException(
          "tick " + parent.tick() + " is cancelled; begin no more work, and return");
    }
    if (loop.mode() != HaMode.SHARED || !loop.slots().take()) {
      throw new IllegalStateException(
          "task "
              + loop.spec().name()
              + ": no slot is free (slots="
              + loop.spec().slots()
              + "); claim at most context.freeSlots() pieces of work");
    }
    context.threads().execute(() -> launchInSlot(parent, work));
  }

  private void launchInSlot(BodyRun parent, TaskBody work) {
    BodyRun run = new BodyRun(parent.loop(), parent.claimed(), this, true);
    TickCancelReason reason = parent.cancelReason();
    if (reason != null) {
      run.cancel(reason); // its parent was, in between; so it is handed over, and not begun
    }
    launch(run, work);
  }

  public void cancel(Predicate<BodyRun> which, TickCancelReason reason) {
    for (BodyRun run : running()) {
      if (which.test(run) && run.cancelReason() == null) {
        log.warn(
            "cancelling tick={} replica={} because {}",
            run.tick(),
            context.replicaName(),
            reason.text);
        cancel(run, reason);
      }
    }
  }

  private void cancel(BodyRun run, TickCancelReason reason) {
    run.cancel(reason);
    context.threads().schedule(STUCK_AFTER, () -> reportIfStuck(run, STUCK_AFTER));
  }

  private void launch(BodyRun run, TaskBody work) {
    running.add(run);
    EngineThreads threads = context.threads();
    try {
      run.startedOn(threads.body(run.tick().task(), () -> execute(run, work)));
    } catch (RuntimeException | Error e) { // no thread to be had, say: a failure like any other
      threads.execute(() -> ended(run, true, e));
    }
  }

  /** Runs on the body's own thread. */
  private void execute(BodyRun run, TaskBody work) {
    // The last look: whatever held it up between the loop and here (a pause, a full pool) may have
    // outlived its right to run.
    boolean began = !run.isCancelled();
    Throwable failure = null;
    if (began) {
      Instant at = now.get();
      context.threads().execute(() -> began(run, at));
      try {
        work.execute(run);
      } catch (Throwable thrown) { // whatever a body throws, its loop goes on
        failure = thrown;
      }
    }
    Throwable result = failure;
    context.threads().execute(() -> ended(run, began, result));
  }

  private void began(BodyRun run, Instant at) {
    run.startedAt = at;
    if (!run.ended) {
      deadlines.add(run); // from here on: a body that waits for a thread has not had its time yet
    }
    if (!run.isSlot()) {
      run.loop().counters().started++;
      telemetry.started(run.tick(), run.attempt(), TickPlanner.lateness(run.claimed().due(), at));
    }
  }

  private void timedOut(BodyRun run) {
    if (!run.ended) {
      log.warn(
          "timed out, cancelling tick={} timeout={} replica={}",
          run.tick(),
          run.loop().spec().timeout(),
          context.replicaName());
      boolean first = run.cancelReason() == null;
      cancel(run, TickCancelReason.TIMEOUT);
      if (first && !run.isSlot()) {
        run.loop().timedOut(run);
      }
    }
  }

  private void reportIfStuck(BodyRun run, Duration ignoredFor) {
    if (!run.ended) {
      log.warn(
          "body ignores its cancellation tick={} ignoredFor={} replica={};"
              + " its task stays occupied until it returns",
          run.tick(),
          ignoredFor,
          context.replicaName());
      telemetry.stuck(run.tick(), ignoredFor);
      Duration twice = ignoredFor.multipliedBy(2);
      context.threads().schedule(ignoredFor, () -> reportIfStuck(run, twice));
    }
  }

  private void ended(BodyRun run, boolean began, @Nullable Throwable failure) {
    run.ended = true;
    running.remove(run);
    deadlines.remove(run);
    if (run.isSlot()) {
      run.loop().slots().release();
      if (failure != null) {
        telemetry.slotFailed(run.tick(), TickReports.describe(failure));
      }
    } else {
      run.loop().bodyEnded(run, began, failure);
    }
    Runnable action = whenChanged;
    if (action != null) {
      action.run();
    }
    // Last, because a logger calls methods of the failure, which may throw as well.
    if (failure != null && run.cancelReason() == null) {
      logFailure(run, failure);
    }
  }

  private void logFailure(BodyRun run, Throwable failure) {
    if (StoreFailures.isLostConnection(failure)) {
      log.warn(
          "failed, the database gave no answer tick={} replica={} cause={}",
          run.tick(),
          context.replicaName(),
          StoreFailures.describe(failure));
    } else {
      log.warn("failed tick={} replica={}", run.tick(), context.replicaName(), failure);
    }
  }
}
