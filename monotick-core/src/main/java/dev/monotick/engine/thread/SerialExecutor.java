package dev.monotick.engine.thread;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs what it is given in order, on threads of another executor. Thread-safe. */
final class SerialExecutor implements Executor {

  private final Executor threads;
  private final ArrayDeque<Runnable> queue = new ArrayDeque<>(); // guarded by this
  private boolean active; // guarded by this

  SerialExecutor(Executor threads) {
    this.threads = threads;
  }

  @Override
  public synchronized void execute(Runnable action) {
    queue.add(action);
    if (!active) {
      active = true;
      try {
        threads.execute(this::drain);
      } catch (RejectedExecutionException e) {
        active = false;
        queue.clear(); // the engine is closed
      }
    }
  }

  private void drain() {
    for (Runnable action = next(); action != null; action = next()) {
      action.run();
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable action = queue.poll();
    active = action != null;
    return action;
  }
}
