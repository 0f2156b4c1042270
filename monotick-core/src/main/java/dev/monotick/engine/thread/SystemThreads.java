package dev.monotick.engine.thread;

import dev.monotick.spi.time.Ticker;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Real threads: one for the loop, some for calls that block and for listeners, and for each body a
 * virtual thread where the JDK has them, else one of a pool.
 */
public final class SystemThreads implements EngineThreads {

  private static final Logger log = LoggerFactory.getLogger(SystemThreads.class);
  private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);
  private static final Duration WATCH_EVERY = Duration.ofMillis(80);
  private static final Duration WATCH_IDLE = Duration.ofSeconds(1);
  private static final long SLEEP_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Ticker ticker = Ticker.system();
  private final LoopThread loop = new LoopThread(ticker);
  private final ExecutorService calls;
  private final ExecutorService listeners;
  private final BodyExecutor bodies;

  /** Creates the threads of the replica of that name. */
  public SystemThreads(String replica) {
    String prefix = "monotick-" + replica;
    // Not a daemon: a process whose only work is its tasks must not end.
    loop.start(new NamedThreads(prefix + "-loop", false));
    calls = Executors.newCachedThreadPool(new NamedThreads(prefix + "-call", true));
    listeners = Executors.newCachedThreadPool(new NamedThreads(prefix + "-listener", true));
    bodies = BodyExecutor.best(prefix + "-body");
  }

  @Override
  public void execute(Runnable action) {
    if (!loop.execute(action)) {
      log.debug("dropped, the engine is closed action={}", action);
    }
  }

  @Override
  public Cancellable schedule(Duration delay, Runnable action) {
    // Nothing waits longer than a century, and a long could not count it.
    long nanos = delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY.toNanos() : delay.toNanos();
    return loop.schedule(nanos, action);
  }

  @Override
  public <T> void call(String what, Duration timeout, Callable<T> call, Reply<T> reply) {
    PendingCall<T> pending = new PendingCall<>(call, reply);
    pending.deadline =
        schedule(
            timeout,
            () -> {
              if (pending.answer()) {
                pending.cancel(true);
                reply.handle(
                    Result.failed(new TimeoutException(what + " took longer than " + timeout)));
              }
            });
    try {
      calls.execute(pending);
    } catch (RejectedExecutionException e) {
      log.debug("dropped, the engine is closed call={}", what);
    }
  }

  /** A call whose result is taken once: from the call, or from the deadline. */
  private final class PendingCall<T> extends FutureTask<Result<T>> {

    private final Reply<T> reply;
    private final AtomicBoolean answered = new AtomicBoolean();
    private volatile Cancellable deadline = () -> {};

    PendingCall(Callable<T> call, Reply<T> reply) {
      super(() -> resultOf(call));
      this.reply = reply;
    }

    boolean answer() {
      return answered.compareAndSet(false, true);
    }

    @Override
    protected void set(Result<T> result) {
      super.set(result);
      if (answer()) {
        deadline.cancel();
        SystemThreads.this.execute(() -> reply.handle(result));
      }
    }
  }

  private static <T> Result<T> resultOf(Callable<T> call) {
    try {
      return Result.of(call.call());
    } catch (Throwable failure) { // the loop decides what to make of it
      return Result.failed(failure);
    }
  }

  @Override
  public Body body(String name, Runnable body) {
    return bodies.run(body);
  }

  @Override
  public Executor listenerExecutor(String name) {
    return new SerialExecutor(listeners);
  }

  @Override
  public void watch(Runnable check, BooleanSupplier needed) {
    new Watch(check, needed).start();
  }

  /** A check that is made again and again; all on the loop. */
  private final class Watch {

    private final Runnable check;
    private final BooleanSupplier needed;
    private boolean often;
    private Cancellable next = () -> {};

    Watch(Runnable check, BooleanSupplier needed) {
      this.check = check;
      this.needed = needed;
    }

    void start() {
      loop.afterActions(this::hurry);
      plan();
    }

    private void plan() {
      often = needed.getAsBoolean();
      next = schedule(often ? WATCH_EVERY : WATCH_IDLE, this::check);
    }

    private void check() {
      plan(); // first, so that a check that fails is made again
      check.run();
    }

    /** What is needed now may not have been when the next check was planned. */
    private void hurry() {
      if (!often && needed.getAsBoolean()) {
        next.cancel();
        plan();
      }
    }
  }

  @Override
  public void sleep(Duration duration, BooleanSupplier wake) throws InterruptedException {
    long left = (duration.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : duration).toNanos();
    long end = ticker.read() + left;
    // The condition may come true without an interrupt: a term that ran out tells nobody.
    while (left > 0 && !wake.getAsBoolean()) {
      LockSupport.parkNanos(this, Math.min(left, SLEEP_CHECK_NANOS));
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while asleep");
      }
      left = end - ticker.read();
    }
  }

  @Override
  public <T> T await(CompletableFuture<T> result) {
    return EngineThreads.valueOf(result);
  }

  @Override
  public void close() {
    loop.close();
    calls.shutdown();
    listeners.shutdown();
    bodies.close();
  }
}
