package dev.monotick.engine.thread;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** Makes threads that a thread dump can tell apart. */
final class NamedThreads implements ThreadFactory {

  private final String name;
  private final boolean daemon;
  private final AtomicLong count = new AtomicLong();

  NamedThreads(String name, boolean daemon) {
    this.name = name;
    this.daemon = daemon;
  }

  @Override
  public Thread newThread(Runnable work) {
    Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
    thread.setDaemon(daemon);
    return thread;
  }
}
