package dev.monotick.engine.thread;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs bodies: each on a virtual thread where the JDK has them, else on one of so many platform
 * threads.
 *
 * <p>A body that was left alone takes no place among those. And as it may compute for ever, which
 * keeps one of the few threads that carry all virtual ones, bodies are given platform threads while
 * there is any such, as far as they go: those that come, and those that wait for a carrier already.
 */
final class BodyExecutor {

  private static final Logger log = LoggerFactory.getLogger(BodyExecutor.class);

  /** More bodies than this at a time wait for each other, where threads are expensive. */
  static final int MOST_PLATFORM_THREADS = 256;

  private final @Nullable ThreadFactory virtual;
  private final ExecutorService pool;
  // Guarded by this.
  private final Set<BodyThread> onTheirWay = new LinkedHashSet<>(); // to a carrier
  private final ArrayDeque<BodyThread> waiting = new ArrayDeque<>(); // for a platform thread
  private int places; // taken of those on platform threads
  private int abandoned; // that still run

  BodyExecutor(String name, @Nullable ThreadFactory virtual) {
    this.virtual = virtual;
    this.pool =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE, // it is counted here
            30,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new NamedThreads(name, true),
            new ThreadPoolExecutor.DiscardPolicy()); // once it is closed
  }

  static BodyExecutor best(String name) {
    return new BodyExecutor(name, VirtualThreads.factory(name + "-"));
  }

  EngineThreads.Body run(Runnable body) {
    BodyThread task = new BodyThread(body);
    if (virtual == null || !goesToACarrier(task)) {
      runOnPool(task);
      return task;
    }
    try {
      virtual.newThread(task).start();
    } catch (RuntimeException | Error e) {
      task.forget();
      throw e;
    }
    return task;
  }

  private synchronized boolean goesToACarrier(BodyThread task) {
    return (abandoned == 0 || places >= MOST_PLATFORM_THREADS) && onTheirWay.add(task);
  }

  private synchronized void runOnPool(BodyThread task) {
    waiting.add(task);
    try {
      startWaiting();
    } catch (RuntimeException | Error e) {
      if (waiting.remove(task)) {
        throw e;
      }
    }
  }

  private void startWaiting() {
    while (places < MOST_PLATFORM_THREADS && !waiting.isEmpty()) {
      BodyThread next = waiting.element();
      pool.execute(next::runInPlace);
      waiting.remove(); // now, as there may have been no thread for it
      next.hasPlace = true;
      places++;
    }
  }

  /** Somebody left, or may be overtaken. */
  private void startOthers() {
    try {
      startWaiting();
    } catch (RuntimeException | Error e) {
      log.error("no thread for bodies that wait, trying again when one ends", e);
    }
  }

  synchronized void close() {
    waiting.clear();
    pool.shutdown();
  }

  /** A body on its thread; an interrupt reaches it only while it runs there. */
  private final class BodyThread implements Runnable, EngineThreads.Body {

    private final Runnable body;
    // Guarded by the executor.
    private @Nullable Thread thread;
    private boolean begun;
    private boolean interrupted;
    private boolean isAbandoned;
    private boolean hasPlace;

    BodyThread(Runnable body) {
      this.body = body;
    }

    @Override
    public void run() {
      if (begin()) {
        try {
          body.run();
        } finally {
          end();
        }
      }
    }

    void runInPlace() {
      try {
        run();
      } finally {
        leavePlace();
      }
    }

    /** Returns false if another thread has begun it. */
    private boolean begin() {
      synchronized (BodyExecutor.this) {
        if (begun) {
          return false;
        }
        begun = true;
        onTheirWay.remove(this);
        thread = Thread.currentThread();
        if (interrupted) {
          thread.interrupt();
        }
        return true;
      }
    }

    private void end() {
      synchronized (BodyExecutor.this) {
        thread = null;
        if (isAbandoned) {
          abandoned--;
        }
        Thread.interrupted(); // meant for this body, not for the next one on the thread
      }
    }

    private void leavePlace() {
      synchronized (BodyExecutor.this) {
        if (hasPlace) {
          hasPlace = false;
          places--;
          startOthers();
        }
      }
    }

    /** It has no thread after all. */
    void forget() {
      synchronized (BodyExecutor.this) {
        onTheirWay.remove(this);
      }
    }

    @Override
    public void interrupt() {
      synchronized (BodyExecutor.this) {
        interrupted = true;
        if (thread != null) {
          thread.interrupt();
        }
      }
    }

    @Override
    public void abandon() {
      synchronized (BodyExecutor.this) {
        if (thread == null || isAbandoned) {
          return;
        }
        isAbandoned = true;
        abandoned++;
        waiting.addAll(onTheirWay); // whichever thread comes first
        onTheirWay.clear();
        leavePlace();
        startOthers();
      }
    }
  }
}
