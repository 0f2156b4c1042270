package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.Use;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.Progress;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether jobs are run as fast with many others queued, with many finished ones in the history, and
 * while somebody holds an old snapshot, as on empty tables.
 *
 * <p>In each state one worker process is kept; the queue is paused, jobs are added, the queue is
 * resumed, and the rate is that of the jobs from 20 % to 95 %. The finished jobs are those that
 * were queued before. The empty tables are measured at the beginning and again at the end.
 */
public final class DepthBenchmark {

  private static final Map<String, String> OPTIONS =
      Map.of(
          "rounds", "5",
          "jobs", "100000",
          "rows", "10000000",
          "hold", "300",
          "states", "queued,finished,snapshot");

  private static final int WARM_UPS = 3;

  /** A worker that is kept, and a process that adds jobs and pauses, on a database of their own. */
  private static final class Pair implements AutoCloseable {

    private final Contender contender;
    private final BenchDatabase database;
    private final WorkerProcess sender;
    private final WorkerProcess worker;
    private int added;

    Pair(BenchServer server, Contender contender, String state) throws Exception {
      this.contender = contender;
      this.database = BenchDatabase.create(server, "depth_" + state);
      this.sender = WorkerProcess.start(contender, database);
      sender.ask("install");
      this.worker = WorkerProcess.start(contender, database);
      worker.ask("work " + Use.DRAIN + " 0");
    }

    /** Adds jobs that nobody takes before {@link #release}. */
    void add(int jobs) throws IOException {
      sender.ask("pause");
      Drain.fill(contender, sender, added, jobs);
      added += jobs;
    }

    /** Has the worker take jobs, and waits until it has run so many in all. */
    void release(long until) throws Exception {
      sender.ask("resume");
      Drain.awaitRun(contender, List.of(worker), until);
    }

    Course course() throws IOException {
      return Drain.course(List.of(worker));
    }

    /** Adds jobs, lets them be run, and returns the rate. */
    double window(int jobs) throws Exception {
      int before = added;
      add(jobs);
      database.settle();
      release(added);
      return course().rate(before + jobs / 5, before + jobs * 95L / 100);
    }

    @Override
    public void close() throws IOException, SQLException {
      try (database;
          sender;
          worker) {
        Progress.say("  closing " + database.name());
      }
    }
  }

  private DepthBenchmark() {}

  /** Runs the benchmark; prints a table and lines for scripts. */
  public static void main(String[] args) throws Exception {
    Options options = Options.orExit(args, OPTIONS);
    int rounds = options.number("rounds", 1, 100);
    int jobs = options.number("jobs", 100, 1_000_000);
    int rows = options.number("rows", 1000, 100_000_000);
    int hold = options.number("hold", 1, 36_000);
    String states = options.text("states");
    Contender contender = options.contenders().get(0);
    Map<String, List<Double>> results = new LinkedHashMap<>();
    try (BenchServer server = JobServer.start(Map.of())) {
      results.put("empty", new ArrayList<>(empty(server, contender, rounds, jobs)));
      if (states.contains("queued") || states.contains("finished")) {
        deep(server, contender, rounds, jobs, rows, results);
      }
      if (states.contains("snapshot")) {
        results.put("snapshot", snapshot(server, contender, rounds, jobs, hold));
      }
      results.getOrDefault("empty", List.of()).addAll(empty(server, contender, rounds, jobs));
    }
    print(contender, results, rows, hold);
  }

  private static List<Double> empty(BenchServer server, Contender contender, int rounds, int jobs)
      throws Exception {
    try (Pair pair = new Pair(server, contender, "empty")) {
      warmUp(pair, jobs);
      return windows("empty", pair, rounds, jobs);
    }
  }

  private static List<Double> windows(String state, Pair pair, int rounds, int jobs)
      throws Exception {
    List<Double> rates = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      rates.add(told(state, pair.window(jobs)));
    }
    return rates;
  }

  /** In each state the compiler has seen as much before anything counts. */
  private static void warmUp(Pair pair, int jobs) throws Exception {
    for (int i = 0; i < WARM_UPS; i++) {
      pair.window(jobs);
    }
  }

  private static double told(String state, double rate) {
    Progress.say(state + ": " + Figures.format(rate) + " jobs/s");
    return rate;
  }

  /** Queues many jobs and measures the first of them, then, when all are over, others. */
  private static void deep(
      BenchServer server,
      Contender contender,
      int rounds,
      int jobs,
      int rows,
      Map<String, List<Double>> results)
      throws Exception {
    try (Pair pair = new Pair(server, contender, "deep")) {
      warmUp(pair, jobs);
      long before = pair.added;
      pair.add(rows);
      Progress.say("vacuuming and writing out " + Figures.format(rows) + " jobs");
      pair.database.settle();
      pair.release(pair.added);
      Course course = pair.course();
      List<Double> queued = new ArrayList<>();
      for (int round = 0; round < rounds && (long) (round + 1) * jobs <= rows; round++) {
        long from = before + (long) round * jobs;
        queued.add(told("queued", course.rate(from + jobs / 5, from + jobs * 95L / 100)));
      }
      results.put("queued", queued);
      results.put("finished", windows("finished", pair, rounds, jobs));
    }
  }

  /** Holds a snapshot while jobs come and go; the last windows count. */
  private static List<Double> snapshot(
      BenchServer server, Contender contender, int rounds, int jobs, int hold) throws Exception {
    try (Pair pair = new Pair(server, contender, "snapshot");
        Connection holder = pair.database.connect()) {
      warmUp(pair, jobs);
      hold(holder);
      long end = System.nanoTime() + hold * 1_000_000_000L;
      List<Double> rates = new ArrayList<>();
      while (System.nanoTime() < end || rates.size() < rounds) {
        rates.add(told("snapshot", pair.window(jobs)));
      }
      holder.rollback();
      return rates.subList(rates.size() - rounds, rates.size());
    }
  }

  private static void hold(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    BenchDatabase.ask(connection, "select count(*) from pg_class");
  }

  private static void print(
      Contender contender, Map<String, List<Double>> results, int rows, int hold) {
    Report report = new Report();
    report.head(List.of("state", "jobs/s: median (least–most)", "to empty tables"));
    Map<String, String> titles =
        Map.of(
            "empty", "empty tables, before and after the others",
            "queued", Figures.format(rows) + " jobs queued",
            "finished", Figures.format(rows) + " jobs finished",
            "snapshot", "a snapshot held for " + hold + " s, the last windows");
    double empty = Figures.of(results.getOrDefault("empty", List.of()), rate -> rate).median();
    results.forEach(
        (state, rates) -> {
          Figures figures = Figures.of(rates, rate -> rate);
          String ratio = Figures.ratio(figures.median(), empty);
          report.row(List.of(titles.getOrDefault(state, state), figures.spread(), ratio));
          report.line("ratio " + contender.name() + " " + state + "/empty " + ratio);
        });
    report.print();
  }
}
