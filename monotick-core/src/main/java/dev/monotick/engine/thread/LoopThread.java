package dev.monotick.engine.thread;

import dev.monotick.spi.time.Ticker;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that runs actions in order, and timers when they are due. An action costs its place in
 * a queue and no more: tens of thousands a second go through here, most of them without delay,
 * which is what the JDK's scheduled executors make expensive.
 */
final class LoopThread {

  private static final Logger log = LoggerFactory.getLogger(LoopThread.class);

  private final Ticker ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  // What follows is guarded by the lock, but for what is volatile.
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private ArrayDeque<Runnable> queue = new ArrayDeque<>();
  private ArrayDeque<Runnable> spare = new ArrayDeque<>();
  private long sequence;
  private int cancelled;
  private volatile Runnable afterActions = () -> {};
  private boolean closed;

  LoopThread(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Starts the thread. */
  void start(NamedThreads threads) {
    threads.newThread(this::run).start();
  }

  /** Has something run on the loop whenever it has run what was waiting; must be quick. */
  void afterActions(Runnable action) {
    afterActions = action;
  }

  /** Adds an action; false if the loop is closed. */
  boolean execute(Runnable action) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      queue.add(action);
      work.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a timer; without effect if the loop is closed. */
  EngineThreads.Cancellable schedule(long delayNanos, Runnable action) {
    lock.lock();
    try {
      Timer timer = new Timer(ticker.read() + delayNanos, sequence++, action);
      if (!closed) {
        timers.add(timer);
        if (timer.equals(timers.peek())) {
          work.signal(); // sooner than what the thread waits for
        }
      }
      return timer;
    } finally {
      lock.unlock();
    }
  }

  /** Runs what waits already and ends; timers are dropped. */
  void close() {
    lock.lock();
    try {
      closed = true;
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    ArrayDeque<Runnable> batch = next();
    while (batch != null) {
      for (Runnable action = batch.poll(); action != null; action = batch.poll()) {
        run(action);
      }
      run(afterActions);
      batch = next();
    }
  }

  /** An action that throws is a defect of the engine; the loop goes on, and says so. */
  private static void run(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      log.error("an action of the engine failed; please report this", e);
    }
  }

  /** Waits for work and returns it, due timers first; null when closed and all is done. */
  private @Nullable ArrayDeque<Runnable> next() {
    lock.lock();
    try {
      while (true) {
        ArrayDeque<Runnable> batch = spare;
        addDue(batch);
        if (!queue.isEmpty()) {
          if (batch.isEmpty()) {
            spare = queue;
            queue = batch;
            batch = spare;
          } else {
            batch.addAll(queue);
            queue.clear();
          }
        }
        if (!batch.isEmpty()) {
          return batch;
        }
        if (closed) {
          return null;
        }
        await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void addDue(ArrayDeque<Runnable> batch) {
    Timer first = timers.peek();
    while (first != null && !closed && first.isOver()) {
      timers.remove();
      if (first.action != null) { // else nobody need wake for it
        batch.add(first); // and may be cancelled by an action that runs before it
      }
      first = timers.peek();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the loop is in next()
  private void await() {
    try {
      Timer first = timers.peek();
      if (first == null) {
        work.await();
      } else {
        long unused = work.awaitNanos(first.at - ticker.read());
      }
    } catch (InterruptedException e) {
      // Nobody has a reason to interrupt this thread; if somebody does, it goes on.
      log.debug("the loop was interrupted", e);
    }
  }

  /** Something to do later. */
  private final class Timer implements Runnable, EngineThreads.Cancellable, Comparable<Timer> {

    private final long at;
    private final long order;
    private volatile @Nullable Runnable action;

    Timer(long at, long order, Runnable action) {
      this.at = at;
      this.order = order;
      this.action = action;
    }

    boolean isOver() {
      return action == null || at - ticker.read() <= 0;
    }

    @Override
    public void run() {
      Runnable todo = action;
      action = null;
      if (todo != null) {
        todo.run();
      }
    }

    @Override
    public void cancel() {
      if (action == null) {
        return;
      }
      action = null; // what it holds is free at once, the timer itself when its time has come
      lock.lock();
      try {
        if (++cancelled > 1000 && cancelled > timers.size() / 2) {
          timers.removeIf(timer -> timer.action == null);
          cancelled = 0;
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(at - other.at, 0); // by difference: tickers overflow
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }
}
