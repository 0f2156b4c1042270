package dev.monotick.engine.thread;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * Where an engine's code runs.
 *
 * <p>The engine is an event loop: all of its state is touched on one thread, by short actions that
 * never block. What blocks (calls to the store) and what is not ours (bodies, listeners) runs
 * elsewhere and comes back as an action. Whoever implements this interface therefore decides the
 * order of everything, which is how the test kit runs whole clusters on one thread in virtual time.
 */
public interface EngineThreads {

  /** Runs an action on the loop, after those that are waiting already. */
  void execute(Runnable action);

  /** Runs an action on the loop once the delay has passed by the ticker. */
  Cancellable schedule(Duration delay, Runnable action);

  /**
   * Makes a call that may block, elsewhere, and hands its result to the loop exactly once: an
   * answer, an exception, or after {@code timeout} a {@link java.util.concurrent.TimeoutException}.
   * Then the call's thread is interrupted, what it still does may take effect, and its answer is
   * dropped.
   *
   * @param what names the call, for people
   */
  <T> void call(String what, Duration timeout, Callable<T> call, Reply<T> reply);

  /** Runs a body elsewhere; bodies do not wait for each other. */
  Body body(String name, Runnable body);

  /** Returns an executor for listeners, which runs what it is given in order, elsewhere. */
  Executor listenerExecutor(String name);

  /**
   * Runs a check on the loop, and whenever time has jumped: at least every 100 milliseconds while
   * something depends on it, else every second, since each time a thread wakes has its price.
   *
   * @param needed says, on the loop, whether something depends on it
   */
  void watch(Runnable check, BooleanSupplier needed);

  /** Lets the body that calls this wait; returns early when the condition holds and it is woken. */
  void sleep(Duration duration, BooleanSupplier wake) throws InterruptedException;

  /** Waits, on a thread that is not the loop, until the loop has completed the result. */
  <T> T await(CompletableFuture<T> result);

  /** Returns the value of a result that is complete, or throws what it failed with. */
  static <T> T valueOf(CompletableFuture<T> result) {
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** Ends all threads but those of bodies that still run. Nothing is accepted any more. */
  void close();

  /** Takes a call's result, on the loop. */
  @FunctionalInterface
  interface Reply<T> {

    /** Handles the result. */
    void handle(Result<T> result);
  }

  /** Something that has not happened yet and may be called off. */
  @FunctionalInterface
  interface Cancellable {

    /** Calls it off, if it has not begun. */
    void cancel();
  }

  /** A body that was handed over. */
  interface Body {

    /** Interrupts the body's thread, and wakes it if it sleeps; without effect once it ended. */
    void interrupt();

    /**
     * Nobody waits for the body any more: it may run for ever, and must not be in the way of others
     * until then. Without effect where nothing is shared.
     */
    default void abandon() {}
  }
}
