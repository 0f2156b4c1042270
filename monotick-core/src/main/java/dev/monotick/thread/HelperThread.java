package dev.monotick.thread;

import org.jspecify.annotations.Nullable;

/**
 * A thread of ours that holds no lock of anybody else and is about to be idle: what it has for the
 * loop it may do itself while the loop does nothing, and the next call, too. Handing something over
 * to a thread that sleeps costs more than most of what is handed over.
 */
public final class HelperThread extends Thread {

  private boolean takesNext; // only this thread itself looks at these
  private @Nullable Runnable next;

  /** Creates one that does not keep the process from ending. */
  public HelperThread(Runnable work, String name) {
    super(work, name);
    setDaemon(true);
  }

  /** Does something, and whatever it is given meanwhile by {@link #offer}. */
  static void runAll(Runnable first) {
    if (!(Thread.currentThread() instanceof HelperThread helper)) {
      first.run();
      return;
    }
    for (Runnable work = first; work != null; work = helper.take()) {
      work.run();
    }
  }

  /** Does the last part of something, after which it is free for what comes of it. */
  static void runLast(Runnable last) {
    if (!(Thread.currentThread() instanceof HelperThread helper)) {
      last.run();
      return;
    }
    helper.takesNext = true;
    try {
      last.run();
    } finally {
      helper.takesNext = false;
    }
  }

  /** Leaves something to the current thread, if it is a helper that is about to be idle. */
  static boolean offer(Runnable work) {
    if (Thread.currentThread() instanceof HelperThread helper
        && helper.takesNext
        && helper.next == null) {
      helper.next = work;
      return true;
    }
    return false;
  }

  private @Nullable Runnable take() {
    Runnable taken = next;
    next = null;
    boolean unused = Thread.interrupted(); // meant for what it did before
    return taken;
  }
}
