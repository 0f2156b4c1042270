package dev.monotick.bench.postgres;

import dev.monotick.schedule.Schedule;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Many tasks of one replica on PostgreSQL: is every tick begun, and how late. Once with ticks
 * spread evenly over the period, once with all of them due at the same moment.
 *
 * <p>Arguments, all optional: number of tasks, period in seconds, seconds that are measured. A
 * period, but at least ten seconds, goes before to warm up.
 */
public final class TasksBenchmark {

  private static final Duration LEAST_WARM_UP = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private TasksBenchmark() {}

  /** Runs the benchmark and prints a line of results for each spread. */
  public static void main(String[] args) throws Exception {
    NumberArguments arguments = new NumberArguments(args);
    int tasks = arguments.next("N", 10_000, 1, 1_000_000);
    int period = arguments.next("PERIOD_SECONDS", 60, 1, 3600);
    int seconds = arguments.next("SECONDS", Math.max(period, 60), 1, 3600);
    arguments.end();
    if (seconds % period != 0) {
      throw NumberArguments.refuse(
          "SECONDS must be a multiple of PERIOD_SECONDS, so that all tasks are due equally often,"
              + " but were "
              + seconds
              + " and "
              + period);
    }
    try (BenchServer server = BenchServer.start(Map.of())) {
      server.describe();
      String spread = measure(server, "spread", tasks, period, seconds);
      String burst = measure(server, "burst", tasks, period, seconds);
      System.out.println(spread);
      System.out.println(burst);
    }
  }

  private static String measure(BenchServer server, String name, int tasks, int period, int seconds)
      throws Exception {
    Clock clock = Clock.systemUTC();
    // The window begins in the middle of a period, so that no moment of many lies on its edge.
    long wanted = clock.millis() + 5_000 + Math.max(LEAST_WARM_UP.toMillis(), period * 1000L);
    long periodMillis = period * 1000L;
    Instant from = Instant.ofEpochMilli(wanted / periodMillis * periodMillis + periodMillis / 2);
    if (from.toEpochMilli() < wanted) {
      from = from.plusSeconds(period);
    }
    Instant to = from.plusSeconds(seconds);
    long due = (long) tasks * seconds / period;
    FiringDelays firings = new FiringDelays(from, to);
    List<Task> all = new ArrayList<>(tasks);
    for (int i = 0; i < tasks; i++) {
      String task = "task-" + i;
      long phase = name.equals("spread") ? i * periodMillis / tasks : 0;
      all.add(
          Task.named(task)
              .schedule(Schedule.every(Duration.ofSeconds(period), Duration.ofMillis(phase)))
              .mode(HaMode.ONE_REPLICA)
              .run(context -> firings.record(task, context.nominalTime())));
    }
    BenchmarkProgress.report(name + ": starting, load average " + BenchServer.load());
    Duration server0;
    Duration client0;
    try (InProcessCluster cluster = InProcessCluster.start(server, "tasks_" + name, 1, all)) {
      BenchmarkProgress.waitUntil(
          from, () -> name + ": " + cluster.size() + " replica is warming up");
      server0 = server.serverCpu();
      client0 = BenchServer.clientCpu();
      BenchmarkProgress.waitUntil(
          to, () -> name + ": " + firings.count() + " ticks begun of " + due + " due");
      BenchmarkProgress.waitUntil(
          to.plus(PATIENCE),
          () -> firings.count() >= due,
          () -> name + ": " + firings.count() + " of " + due + ", waiting for the others");
      Duration serverTime = server.serverCpu().minus(server0);
      Duration clientTime = BenchServer.clientCpu().minus(client0);
      return "tasks "
          + name
          + " "
          + firings.result(due).line()
          + String.format(
              Locale.ROOT,
              " serverCpu=%.1fs clientCpu=%.1fs load=%s",
              serverTime.toMillis() / 1e3,
              clientTime.toMillis() / 1e3,
              BenchServer.load());
    }
  }
}
