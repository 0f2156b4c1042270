package dev.monotick.thread;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs bodies: each on a virtual thread where the JDK has them, else on a pool that grows. */
final class BodyExecutor {

  /** More bodies than this at a time wait for each other, where threads are expensive. */
  private static final int MOST_PLATFORM_THREADS = 256;

  private final @Nullable ThreadFactory virtual;
  private final @Nullable ExecutorService pool;

  private BodyExecutor(@Nullable ThreadFactory virtual, @Nullable ExecutorService pool) {
    this.virtual = virtual;
    this.pool = pool;
  }

  static BodyExecutor best(String name) {
    ThreadFactory factory = VirtualThreads.factory(name + "-");
    return factory == null
        ? new BodyExecutor(null, growingPool(name))
        : new BodyExecutor(factory, null);
  }

  /** A pool that starts a thread for work no idle thread takes, and queues only at its limit. */
  private static ExecutorService growingPool(String name) {
    LinkedTransferQueue<Runnable> queue =
        new LinkedTransferQueue<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public boolean offer(Runnable work) {
            return tryTransfer(work);
          }
        };
    return new ThreadPoolExecutor(
        0,
        MOST_PLATFORM_THREADS,
        30,
        TimeUnit.SECONDS,
        queue,
        new NamedThreads(name, true),
        (work, executor) -> {
          if (!executor.isShutdown()) {
            queue.put(work);
          }
        });
  }

  EngineThreads.Body run(String name, Runnable body) {
    BodyThread task = new BodyThread(body);
    if (virtual != null) {
      virtual.newThread(task).start();
    } else if (pool != null) {
      pool.execute(task);
    }
    return task;
  }

  void close() {
    if (pool != null) {
      pool.shutdown();
    }
  }

  /** A body on its thread; an interrupt reaches it only while it runs there. */
  private static final class BodyThread implements Runnable, EngineThreads.Body {

    private final Runnable body;
    private @Nullable Thread thread; // guarded by this
    private boolean interrupted; // guarded by this
    private boolean ended; // guarded by this

    BodyThread(Runnable body) {
      this.body = body;
    }

    @Override
    public void run() {
      begin();
      try {
        body.run();
      } finally {
        end();
      }
    }

    private synchronized void begin() {
      thread = Thread.currentThread();
      if (interrupted) {
        thread.interrupt();
      }
    }

    private synchronized void end() {
      ended = true;
      thread = null;
      Thread.interrupted(); // meant for this body, not for the next one on the thread
    }

    @Override
    public synchronized void interrupt() {
      interrupted = true;
      if (thread != null && !ended) {
        thread.interrupt();
      }
    }
  }
}
