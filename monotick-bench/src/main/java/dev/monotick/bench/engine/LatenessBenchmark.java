package dev.monotick.bench.engine;

import dev.monotick.Monotick;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.schedule.Schedule;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Many tasks, in memory: how long after its nominal time a body starts, and what the engine weighs.
 *
 * <p>Arguments, all optional: number of tasks, ticks per second, seconds, mode. Ticks are spread
 * evenly over time, by phase. The first ten seconds warm up and do not count.
 */
public final class LatenessBenchmark {

  private static final Duration WARM_UP = Duration.ofSeconds(10);

  private LatenessBenchmark() {}

  /** Runs the benchmark and prints one line of results. */
  public static void main(String[] args) throws InterruptedException {
    int tasks = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    int perSecond = args.length > 1 ? Integer.parseInt(args[1]) : 10_000;
    Duration measured = Duration.ofSeconds(args.length > 2 ? Integer.parseInt(args[2]) : 30);
    HaMode mode = args.length > 3 ? HaMode.valueOf(args[3]) : HaMode.ONE_REPLICA;

    Clock clock = Clock.systemUTC();
    LatencyHistogram lateness = new LatencyHistogram();
    long intervalMillis = 1000L * tasks / perSecond;
    Monotick monotick =
        Monotick.builder().store(InMemoryStore.create()).replicaName("bench").build();
    System.out.printf(
        Locale.ROOT,
        "%,d tasks, every %,d ms each, %,d ticks/s, mode %s, JDK %s%n",
        tasks,
        intervalMillis,
        perSecond,
        mode,
        Runtime.version());
    Instant from = clock.instant().plus(WARM_UP).plusSeconds(5);
    Instant to = from.plus(measured);
    for (int i = 0; i < tasks; i++) {
      Duration phase = Duration.ofMillis(i * intervalMillis / tasks);
      monotick.register(
          Task.named("task-" + i)
              .schedule(Schedule.every(Duration.ofMillis(intervalMillis), phase))
              .mode(mode)
              .run(
                  context -> {
                    Instant nominal = context.nominalTime();
                    if (!nominal.isBefore(from) && nominal.isBefore(to)) {
                      lateness.record(Duration.between(nominal, clock.instant()).toNanos());
                    }
                  }));
    }
    monotick.start();
    new CountDownLatch(1)
        .await(Duration.between(clock.instant(), to).toMillis() + 1000, TimeUnit.MILLISECONDS);
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    int peakThreads = ManagementFactory.getThreadMXBean().getPeakThreadCount();
    System.gc();
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    System.out.printf(
        Locale.ROOT,
        "ticks=%d expected=%d p50=%.2fms p99=%.2fms p999=%.2fms max=%.2fms heap=%dMB"
            + " maxHeap=%dMB threads=%d peakThreads=%d%n",
        lateness.count(),
        perSecond * measured.toSeconds(),
        lateness.percentileMillis(0.5),
        lateness.percentileMillis(0.99),
        lateness.percentileMillis(0.999),
        lateness.percentileMillis(1),
        heap.getUsed() >> 20,
        Runtime.getRuntime().maxMemory() >> 20,
        threads,
        peakThreads);
    monotick.stop(Duration.ofSeconds(5));
  }
}
