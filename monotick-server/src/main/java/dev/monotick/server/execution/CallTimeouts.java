package dev.monotick.server.execution;

import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;

/**
 * Ends calls that take too long, or whose job is over. A thread that waits for a socket hears no
 * interrupt, so somebody else must close it: one thread looks after all of them.
 */
@Component
final class CallTimeouts implements DisposableBean {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final TimeSource time;
  private final Set<Watched> all = ConcurrentHashMap.newKeySet();
  private final ThreadPoolTaskScheduler thread = new ThreadPoolTaskScheduler();
  private final ScheduledFuture<?> polls;

  /** Something that is looked after until it is closed. */
  final class Watched implements AutoCloseable {

    private final long end;
    private final BooleanSupplier over;
    private final Runnable stop;
    private final AtomicBoolean stopped = new AtomicBoolean();

    private Watched(long end, BooleanSupplier over, Runnable stop) {
      this.end = end;
      this.over = over;
      this.stop = stop;
    }

    /** Says whether it was stopped because its time was over, or its job. */
    boolean isStopped() {
      return stopped.get();
    }

    private void closeIfOver() {
      if (!stopped.get() && (time.nanos() - end >= 0 || over.getAsBoolean())) {
        stopped.set(true);
        stop.run();
      }
    }

    @Override
    public void close() {
      all.remove(this);
    }
  }

  CallTimeouts(TimeSource time) {
    this.time = time;
    thread.setThreadNamePrefix("call-watch-");
    thread.setDaemon(true);
    thread.initialize();
    polls = thread.scheduleWithFixedDelay(() -> all.forEach(Watched::closeIfOver), POLL_INTERVAL);
  }

  /**
   * Looks after something.
   *
   * @param end when its time is over, by the ticker
   * @param over whether nobody needs it any more
   * @param stop ends it, from another thread
   */
  Watched over(long end, BooleanSupplier over, Runnable stop) {
    Watched watched = new Watched(end, over, stop);
    all.add(watched);
    return watched;
  }

  @Override
  public void destroy() {
    polls.cancel(false);
    thread.shutdown();
  }
}
