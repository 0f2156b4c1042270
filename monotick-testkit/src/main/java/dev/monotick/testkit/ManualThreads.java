package dev.monotick.testkit;

import dev.monotick.engine.thread.EngineThreads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** One engine's share of a {@link ManualScheduler}. It can be killed, and frozen, as a process. */
final class ManualThreads implements EngineThreads {

  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private final ManualScheduler scheduler;
  private final ReplicaClock clock;
  private final Network network;
  private final List<Runnable> checks = new ArrayList<>();
  private final List<ManualScheduler.Event> held = new ArrayList<>();
  private final Deque<ManualBody> stack = new ArrayDeque<>();
  private boolean alive = true;
  private boolean frozen;

  ManualThreads(ManualScheduler scheduler, ReplicaClock clock, Network network) {
    this.scheduler = scheduler;
    this.clock = clock;
    this.network = network;
  }

  boolean isAlive() {
    return alive;
  }

  boolean isFrozen() {
    return frozen;
  }

  /** Ends it as SIGKILL would: nothing of it happens any more. */
  void kill() {
    alive = false;
    held.clear();
    scheduler.forget(this);
  }

  /** Stops it as SIGSTOP would: what becomes due waits. */
  void freeze() {
    frozen = true;
  }

  /** Lets it go on; what waited happens now, in order. */
  void thaw() {
    frozen = false;
    watchNow();
    for (ManualScheduler.Event event : List.copyOf(held)) {
      if (!event.cancelled) {
        scheduler.add(this, Duration.ZERO, () -> runHeld(event));
      }
    }
    held.clear();
  }

  private static void runHeld(ManualScheduler.Event event) {
    if (!event.cancelled) {
      event.action.run();
    }
  }

  void hold(ManualScheduler.Event event) {
    held.add(event);
  }

  void watchNow() {
    if (alive && !frozen) {
      for (int i = 0; i < checks.size(); i++) {
        checks.get(i).run();
      }
    }
  }

  @Override
  public void execute(Runnable action) {
    schedule(Duration.ZERO, action);
  }

  @Override
  public Cancellable schedule(Duration delay, Runnable action) {
    if (!alive) {
      return () -> {};
    }
    ManualScheduler.Event event = scheduler.add(this, clock.toPass(delay), action);
    return () -> event.cancelled = true;
  }

  @Override
  public <T> void call(String what, Duration timeout, Callable<T> call, Reply<T> reply) {
    network.send(this, new Network.Message<>(what, timeout, call, reply));
  }

  @Override
  public Body body(String name, Runnable body) {
    ManualBody handle = new ManualBody();
    execute(
        () -> {
          stack.push(handle);
          try {
            body.run();
          } finally {
            stack.pop();
          }
        });
    return handle;
  }

  @Override
  public Executor listenerExecutor(String name) {
    return this::execute;
  }

  @Override
  public void watch(Runnable check, BooleanSupplier needed) {
    checks.add(check);
  }

  @Override
  public void sleep(Duration duration, BooleanSupplier wake) throws InterruptedException {
    ManualBody body = stack.peek();
    BooleanSupplier done =
        () -> !alive || wake.getAsBoolean() || (body != null && body.interrupted);
    scheduler.runUntil(scheduler.elapsed() + clock.toPass(duration).toNanos(), done);
    requireAlive();
    if (body != null && body.interrupted) {
      body.interrupted = false;
      throw new InterruptedException("interrupted while asleep");
    }
  }

  @Override
  public <T> T await(CompletableFuture<T> result) {
    scheduler.runUntil(
        scheduler.elapsed() + LONGEST_WAIT.toNanos(), () -> !alive || result.isDone());
    if (!result.isDone()) {
      requireAlive();
      throw new AssertionError("the engine gave no answer within " + LONGEST_WAIT);
    }
    return EngineThreads.valueOf(result);
  }

  /** Ends the thread of a replica that was killed: nothing may follow its death. */
  void requireAlive() {
    if (!alive) {
      throw new ReplicaKilled();
    }
  }

  @Override
  public void close() {
    kill();
  }

  /** A body on the test's thread; the interrupt is seen when it sleeps. */
  private static final class ManualBody implements Body {

    private boolean interrupted;

    @Override
    public void interrupt() {
      interrupted = true;
    }
  }
}
