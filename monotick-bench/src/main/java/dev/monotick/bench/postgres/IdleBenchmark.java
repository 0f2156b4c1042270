package dev.monotick.bench.postgres;

import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What replicas ask of PostgreSQL while nothing is due: statements, by what they are for,
 * connections, processor time. Once with one replica, once with twenty, of ten tasks each.
 *
 * <p>Argument, optional: seconds that are counted, 30 by default.
 */
public final class IdleBenchmark {

  private static final Duration WARM_UP = Duration.ofSeconds(15);
  private static final int TASKS = 10;
  private static final String CLIENTS =
      StatementLog.OWN
          + "select count(*) from pg_stat_activity"
          + " where backend_type = 'client backend' and pid <> pg_backend_pid()";

  private IdleBenchmark() {}

  /** Runs the benchmark and prints a table and a line of results for each number of replicas. */
  public static void main(String[] args) throws Exception {
    NumberArguments arguments = new NumberArguments(args);
    int seconds = arguments.next("SECONDS", 30, 5, 3600);
    arguments.end();
    try (BenchServer server = BenchServer.start(StatementLog.SETTINGS)) {
      server.describe();
      List<String> lines = new ArrayList<>();
      for (int replicas : List.of(1, 20)) {
        lines.add(measure(server, replicas, seconds));
      }
      lines.forEach(System.out::println);
    }
  }

  private static String measure(BenchServer server, int replicas, int seconds) throws Exception {
    BenchmarkProgress.report(
        "starting replicas=" + replicas + ", load average " + BenchServer.load());
    Clock clock = Clock.systemUTC();
    StatementLog log = new StatementLog(server.log());
    try (InProcessCluster cluster =
        InProcessCluster.start(server, "idle_" + replicas, replicas, tasks())) {
      BenchmarkProgress.waitUntil(clock.instant().plus(WARM_UP), () -> "letting them settle");
      Duration serverBefore = server.serverCpu();
      Duration clientBefore = BenchServer.clientCpu();
      log.mark();
      long start = System.nanoTime();
      BenchmarkProgress.waitUntil(clock.instant().plusSeconds(seconds), () -> "counting");
      double elapsed = (System.nanoTime() - start) / 1e9;
      Map<String, StatementLog.Kind> kinds = log.read();
      double serverCpu = server.serverCpu().minus(serverBefore).toMillis() / 1e3;
      double clientCpu = BenchServer.clientCpu().minus(clientBefore).toMillis() / 1e3;
      double connections = Double.parseDouble(server.ask(CLIENTS)) / cluster.size();
      System.out.printf(
          Locale.ROOT, "replicas=%d: statements per second and replica%n", cluster.size());
      StatementLog.print(kinds, elapsed * replicas);
      double control = rate(kinds, IdleBenchmark::isControl) / elapsed / replicas;
      double queries = rate(kinds, sql -> !isControl(sql)) / elapsed / replicas;
      return String.format(
          Locale.ROOT,
          "idle replicas=%d queries_per_replica=%.2f/s begin_commit_per_replica=%.2f/s"
              + " statements_of_all=%.2f/s connections_per_replica=%.1f serverCpu=%.2f%%"
              + " clientCpu=%.2f%% load=%s",
          replicas,
          queries,
          control,
          (queries + control) * replicas,
          connections,
          100 * serverCpu / elapsed,
          100 * clientCpu / elapsed,
          BenchServer.load());
    }
  }

  /** Ten tasks that are not due in this decade. */
  private static List<Task> tasks() {
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(
          Task.named("far-" + i)
              .cron("0 0 0 1 1 * 2099")
              .mode(i % 2 == 0 ? HaMode.LEADER : HaMode.ONE_REPLICA)
              .run(context -> {}));
    }
    return tasks;
  }

  private static boolean isControl(String sql) {
    String word = sql.toUpperCase(Locale.ROOT);
    return word.startsWith("BEGIN") || word.startsWith("COMMIT") || word.startsWith("ROLLBACK");
  }

  private static double rate(Map<String, StatementLog.Kind> kinds, Predicate<String> which) {
    return kinds.entrySet().stream()
        .filter(kind -> which.test(kind.getKey()))
        .mapToDouble(kind -> kind.getValue().count())
        .sum();
  }
}
