package dev.monotick.postgres;

import java.util.concurrent.Executor;

/**
 * Runs each task on a thread of its own. The pool that futures share by default has one thread on a
 * small machine: a task that waits there holds up what it waits for.
 */
public final class OwnThread implements Executor {

  @Override
  public void execute(Runnable task) {
    Thread thread = new Thread(task, "test");
    thread.setDaemon(true);
    thread.start();
  }
}
