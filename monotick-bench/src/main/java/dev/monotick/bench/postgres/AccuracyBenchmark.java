package dev.monotick.bench.postgres;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One task of every second, two replicas, one server: how long after its nominal time a body
 * begins, for Monotick in two modes and for the peers that keep their state in a database.
 *
 * <p>Argument, optional: seconds that are measured, 60 by default. Contenders take turns, so that
 * they do not disturb each other.
 */
public final class AccuracyBenchmark {

  private static final Duration WARM_UP = Duration.ofSeconds(10);
  private static final Duration AFTER = Duration.ofSeconds(3);
  private static final int REPLICAS = 2;

  /** Starts two replicas whose task records its firings; whatever it returns stops them. */
  interface Contender {
    AutoCloseable start(BenchServer server, FiringDelays firings) throws Exception;
  }

  private AccuracyBenchmark() {}

  /** Runs the benchmark; prints a table and one line for each contender. */
  public static void main(String[] args) throws Exception {
    NumberArguments arguments = new NumberArguments(args);
    int seconds = arguments.next("SECONDS", 60, 5, 3600);
    arguments.end();
    try (BenchServer server = BenchServer.start(Map.of("max_connections", "200"))) {
      server.describe();
      Map<String, FiringDelays.Result> results = new LinkedHashMap<>();
      for (Map.Entry<String, Contender> each : contenders().entrySet()) {
        results.put(each.getKey(), measure(server, each.getKey(), each.getValue(), seconds));
      }
      print(results);
    }
  }

  private static Map<String, Contender> contenders() {
    Map<String, Contender> result = new LinkedHashMap<>();
    result.put("one_replica", (server, firings) -> monotick(server, firings, HaMode.ONE_REPLICA));
    result.put("leader", (server, firings) -> monotick(server, firings, HaMode.LEADER));
    result.put("quartz", QuartzPeer::start);
    result.put("db_scheduler_default", DbSchedulerPeer::startDefault);
    result.put("db_scheduler_1s", DbSchedulerPeer::startTuned);
    return result;
  }

  private static InProcessCluster monotick(BenchServer server, FiringDelays firings, HaMode mode) {
    Task task =
        Task.named("second")
            .every(Duration.ofSeconds(1))
            .mode(mode)
            .run(context -> firings.record("second", context.nominalTime()));
    return InProcessCluster.start(
        server, "accuracy_" + mode.name().toLowerCase(Locale.ROOT), REPLICAS, List.of(task));
  }

  private static FiringDelays.Result measure(
      BenchServer server, String name, Contender contender, int seconds) throws Exception {
    Instant from =
        Clock.systemUTC().instant().truncatedTo(ChronoUnit.SECONDS).plus(WARM_UP).plusSeconds(1);
    Instant to = from.plusSeconds(seconds);
    FiringDelays firings = new FiringDelays(from, to);
    BenchmarkProgress.report(name + ", load average " + BenchServer.load());
    try (AutoCloseable running = contender.start(server, firings)) {
      BenchmarkProgress.waitUntil(
          to.plus(AFTER),
          () -> "warming up, then measuring: " + firings.count() + " fired of " + seconds);
      BenchmarkProgress.report("  stopping " + running.getClass().getSimpleName());
    }
    return firings.result(seconds);
  }

  private static void print(Map<String, FiringDelays.Result> results) {
    FiringDelays.Result ours = results.values().iterator().next();
    System.out.printf(
        Locale.ROOT,
        "%-22s %10s %10s %10s %12s %10s %14s %14s%n",
        "",
        "p50 ms",
        "p99 ms",
        "max ms",
        "fired of due",
        "duplicates",
        "p50 / first's",
        "p99 / first's");
    results.forEach(
        (name, result) ->
            System.out.printf(
                Locale.ROOT,
                "%-22s %10.2f %10.2f %10.2f %12s %10d %14.1f %14.1f%n",
                name,
                result.millis(0.5),
                result.millis(0.99),
                result.millis(1),
                result.sorted().length + "/" + result.due(),
                result.duplicates(),
                result.millis(0.5) / ours.millis(0.5),
                result.millis(0.99) / ours.millis(0.99)));
    System.out.println("load average at the end " + BenchServer.load());
    results.forEach((name, result) -> System.out.println("accuracy " + name + " " + result.line()));
  }
}
