package dev.monotick.engine.tick;

import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The timeouts of running bodies, with one timer for all. Bodies of the same timeout expire in the
 * order in which they were started, so only the oldest of each timeout is ever looked at, and one
 * that ends in time costs nothing but its removal.
 */
final class Deadlines {

  private final EngineThreads threads;
  private final TimeSource time;
  private final Consumer<BodyRun> expired;
  private final Map<Duration, LinkedHashSet<BodyRun>> byTimeout = new HashMap<>();
  private EngineThreads.@Nullable Cancellable timer;
  private long armedFor;

  Deadlines(EngineThreads threads, TimeSource time, Consumer<BodyRun> expired) {
    this.threads = threads;
    this.time = time;
    this.expired = expired;
  }

  void add(BodyRun run) {
    Duration timeout = run.loop().spec().timeout();
    run.deadline = time.nanos() + timeout.toNanos();
    byTimeout.computeIfAbsent(timeout, key -> new LinkedHashSet<>()).add(run);
    if (timer == null || run.deadline - armedFor < 0) {
      arm();
    }
  }

  void remove(BodyRun run) {
    Duration timeout = run.loop().spec().timeout();
    LinkedHashSet<BodyRun> runs = byTimeout.get(timeout);
    if (runs != null) {
      runs.remove(run);
      if (runs.isEmpty()) {
        byTimeout.remove(timeout);
      }
    }
    // The timer stays: that it finds nothing is cheaper than setting it anew for every body.
  }

  private void arm() {
    BodyRun first = null;
    for (LinkedHashSet<BodyRun> runs : byTimeout.values()) {
      BodyRun oldest = runs.iterator().next();
      if (first == null || oldest.deadline - first.deadline < 0) {
        first = oldest;
      }
    }
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    if (first != null) {
      armedFor = first.deadline;
      Duration wait = Duration.ofNanos(Math.max(0, first.deadline - time.nanos()));
      timer = threads.schedule(wait, this::check);
    }
  }

  private void check() {
    timer = null;
    long now = time.nanos();
    for (Duration timeout : List.copyOf(byTimeout.keySet())) {
      expire(timeout, now);
    }
    arm();
  }

  private void expire(Duration timeout, long now) {
    LinkedHashSet<BodyRun> runs = byTimeout.get(timeout);
    while (runs != null && !runs.isEmpty()) {
      BodyRun oldest = runs.iterator().next();
      if (oldest.deadline - now > 0) {
        return;
      }
      remove(oldest);
      expired.accept(oldest);
    }
  }
}
