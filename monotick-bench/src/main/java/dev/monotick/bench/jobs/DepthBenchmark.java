package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Whether jobs are run as fast with many others queued, with many finished ones in the history,
 * while somebody holds an old snapshot, and beside many that wait for limits, as on empty tables.
 *
 * <p>In each state one worker process is kept; the queue is paused, jobs are added, the queue is
 * resumed, and the rate is that of the jobs from 20 % to 95 %. The finished jobs are those that
 * were queued before. Those that wait for limits are of another kind, and the worker runs some of
 * them, as far as their limits allow: limits must not halve the rate of what has none. The empty
 * tables are measured at the beginning and again at the end. How a worker comes back after a
 * restart and after a cut is measured by {@link WorkerRestarts}.
 */
public final class DepthBenchmark {

  private static final String STATES = "queued,finished,snapshot,limited,restart,reconnect";

  /** States in which it is measured how soon a worker is as fast as before. */
  private static final List<String> COMEBACKS = List.of("restart", "reconnect");

  private static final Map<String, String> OPTIONS =
      Map.of(
          "peers", "none",
          "rounds", "5",
          "jobs", "100000",
          "rows", "10000000",
          "hold", "300",
          "dead", "5000000",
          "states", STATES);

  private static final int WARM_UPS = 3;

  /** Of those that have limits 200 a second are run, so this is enough for many rounds. */
  private static final int LIMITED = 100_000;

  /** What the ratio to empty tables is to be. */
  private static final Map<String, String> AIMS =
      Map.of("queued", "0.85", "finished", "0.85", "snapshot", "0.85", "limited", "0.5");

  /** A worker that is kept, and a process that adds jobs and pauses, on a database of their own. */
  private static final class Pair implements AutoCloseable {

    private final Contender contender;
    private final BenchDatabase database;
    private final ContenderProcess sender;
    private final ContenderProcess worker;
    private int added;
    private long drainNanos; // of windows
    private long limitedBeside; // jobs that have limits, run meanwhile

    /** Starts both, with so many jobs there that have limits. */
    Pair(BenchServer server, Contender contender, String state, int limited) throws Exception {
      this.contender = contender;
      this.database = BenchDatabase.create(server, "depth_" + state);
      this.sender = ContenderProcess.start(contender, database);
      sender.request("install");
      if (limited > 0) {
        sender.request("limit " + limited);
      }
      this.worker = ContenderProcess.start(contender, database);
      worker.request("work " + EngineUse.DRAIN + " 0");
    }

    /** Adds jobs that nobody takes before {@link #release}. */
    void add(int jobs) throws IOException {
      sender.request("pause");
      Drain.fill(contender, sender, added, jobs);
      added += jobs;
    }

    /** Has the worker take jobs, and waits until it has run so many in all. */
    void release(long until) throws Exception {
      sender.request("resume");
      Drain.awaitRun(contender, List.of(worker), until);
    }

    RunCourse course() throws IOException {
      return Drain.course(List.of(worker));
    }

    /** Adds jobs, lets them be run, and returns the rate. */
    double window(int jobs) throws Exception {
      int before = added;
      add(jobs);
      database.awaitQuiet();
      long limitedBefore = limited();
      long start = System.nanoTime();
      release(added);
      drainNanos += System.nanoTime() - start;
      limitedBeside += limited() - limitedBefore;
      return course().rate(before + jobs / 5, before + jobs * 95L / 100);
    }

    /** Returns how many jobs that have limits were run. */
    long limited() throws IOException {
      return Long.parseLong(worker.request("limited"));
    }

    @Override
    public void close() throws IOException, SQLException {
      try (database;
          sender;
          worker) {
        BenchmarkProgress.report("  closing " + database.name());
      }
    }
  }

  private DepthBenchmark() {}

  /** Runs the benchmark; prints and keeps a table and lines for scripts. */
  public static void main(String[] args) throws Exception {
    BenchmarkOptions options = BenchmarkOptions.orExit(args, OPTIONS);
    int rounds = options.number("rounds", 1, 100);
    int jobs = options.number("jobs", 100, 1_000_000);
    int rows = options.number("rows", 1000, 100_000_000);
    int hold = options.number("hold", 1, 36_000);
    List<Integer> dead = options.numbers("dead", 0, 100_000_000);
    List<String> states = options.words("states");
    options.alone("depth");
    Contender contender = options.contenders().get(0);
    Map<String, List<Double>> results = new LinkedHashMap<>();
    Map<String, List<WorkerRestart>> comebacks = new LinkedHashMap<>();
    String page = page(states, dead);
    BenchmarkRun run = BenchmarkRun.begin(page, "depth", args, options);
    BenchmarkReport report =
        new BenchmarkReport("Monotick's rate on full tables, to that on empty ones");
    try (BenchServer server = run.start(Map.of())) {
      boolean hasRates = !COMEBACKS.containsAll(states);
      if (hasRates) {
        results.put("empty", new ArrayList<>(empty(server, contender, rounds, jobs)));
      }
      if (states.contains("queued") || states.contains("finished")) {
        deep(server, contender, rounds, jobs, rows, results);
      }
      if (states.contains("snapshot")) {
        results.put("snapshot", snapshot(server, contender, rounds, jobs, hold));
      }
      if (states.contains("limited")) {
        results.put("limited", limited(server, contender, rounds, jobs, report));
      }
      if (hasRates) {
        results.getOrDefault("empty", List.of()).addAll(empty(server, contender, rounds, jobs));
      }
      List<String> interrupted = COMEBACKS.stream().filter(states::contains).toList();
      if (!interrupted.isEmpty()) {
        try (WorkerRestarts measured = new WorkerRestarts(server, contender, jobs)) {
          comebacks.putAll(measured.run(interrupted, rounds, dead));
        }
      }
    }
    results.keySet().removeIf(state -> !state.equals("empty") && !states.contains(state));
    if (!results.isEmpty()) {
      print(report, contender, results, rows, hold);
    }
    print(report, comebacks);
    report.settings(List.of(contender), EngineUse.DRAIN);
    run.finish(report);
  }

  /** Returns the name of the page: of some states, and of a number of dead rows, it is another. */
  private static String page(List<String> states, List<Integer> dead) {
    if (String.join(",", states).equals(STATES)) {
      return "depth";
    }
    boolean hasDead = states.stream().anyMatch(COMEBACKS::contains);
    return "depth-" + String.join("-", states) + (hasDead ? "-" + millions(dead) : "");
  }

  private static String millions(List<Integer> dead) {
    return dead.stream().map(each -> each / 1_000_000 + "m").collect(Collectors.joining("-"));
  }

  private static void print(BenchmarkReport report, Map<String, List<WorkerRestart>> comebacks) {
    if (!comebacks.isEmpty()) {
      WorkerRestart.head(report);
      WorkerRestart.print(
          report,
          WorkerRestarts.RESTART,
          "restarted process",
          comebacks.getOrDefault(WorkerRestarts.RESTART, List.of()));
      WorkerRestart.print(
          report,
          WorkerRestarts.RECONNECT,
          "connections cut while the queue was paused",
          comebacks.getOrDefault(WorkerRestarts.RECONNECT, List.of()));
      WorkerRestart.print(
          report,
          WorkerRestarts.RECONNECT_LOADED,
          "connections cut while jobs ran",
          comebacks.getOrDefault(WorkerRestarts.RECONNECT_LOADED, List.of()));
    }
  }

  private static List<Double> empty(BenchServer server, Contender contender, int rounds, int jobs)
      throws Exception {
    try (Pair pair = new Pair(server, contender, "empty", 0)) {
      warmUp(pair, jobs);
      return windows("empty", pair, rounds, jobs);
    }
  }

  private static List<Double> windows(String state, Pair pair, int rounds, int jobs)
      throws Exception {
    List<Double> rates = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      rates.add(progress(state, pair.window(jobs)));
    }
    return rates;
  }

  /** In each state the compiler has seen as much before anything counts. */
  private static void warmUp(Pair pair, int jobs) throws Exception {
    for (int i = 0; i < WARM_UPS; i++) {
      pair.window(jobs);
    }
  }

  private static double progress(String state, double rate) {
    BenchmarkProgress.report(state + ": " + FigureFormat.format(rate) + " jobs/s");
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
    try (Pair pair = new Pair(server, contender, "deep", 0)) {
      warmUp(pair, jobs);
      long before = pair.added;
      pair.add(rows);
      BenchmarkProgress.report("vacuuming and writing out " + FigureFormat.format(rows) + " jobs");
      pair.database.awaitQuiet();
      pair.release(pair.added);
      RunCourse course = pair.course();
      List<Double> queued = new ArrayList<>();
      for (int round = 0; round < rounds && (long) (round + 1) * jobs <= rows; round++) {
        long from = before + (long) round * jobs;
        queued.add(progress("queued", course.rate(from + jobs / 5, from + jobs * 95L / 100)));
      }
      results.put("queued", queued);
      results.put("finished", windows("finished", pair, rounds, jobs));
    }
  }

  /** Holds a snapshot while jobs come and go; the last windows count. */
  private static List<Double> snapshot(
      BenchServer server, Contender contender, int rounds, int jobs, int hold) throws Exception {
    try (Pair pair = new Pair(server, contender, "snapshot", 0);
        Connection holder = pair.database.connect()) {
      warmUp(pair, jobs);
      BenchDatabase.hold(holder);
      long end = System.nanoTime() + hold * 1_000_000_000L;
      List<Double> rates = new ArrayList<>();
      while (System.nanoTime() < end || rates.size() < rounds) {
        rates.add(progress("snapshot", pair.window(jobs)));
      }
      holder.rollback();
      return rates.subList(rates.size() - rounds, rates.size());
    }
  }

  /** The worker runs some jobs that have limits beside, while many more of them wait. */
  private static List<Double> limited(
      BenchServer server, Contender contender, int rounds, int jobs, BenchmarkReport report)
      throws Exception {
    try (Pair pair = new Pair(server, contender, "limited", LIMITED)) {
      warmUp(pair, jobs);
      List<Double> rates = windows("limited", pair, rounds, jobs);
      long left = LIMITED - pair.limited();
      boolean isSound = pair.limitedBeside > 0 && left > 0;
      report.note(
          "- Jobs with limits: "
              + FigureFormat.format(pair.limitedBeside * 1e9 / pair.drainNanos)
              + " a second were run while the others were, and "
              + FigureFormat.format((double) left)
              + " still waited at the end."
              + (isSound ? "" : " **Some of them must run and some wait, so this says nothing.**"));
      return rates;
    }
  }

  private static void print(
      BenchmarkReport report,
      Contender contender,
      Map<String, List<Double>> results,
      int rows,
      int hold) {
    report.head(List.of("state", "jobs/s: median (least–most)", "to empty tables", "aim"));
    Map<String, String> titles =
        Map.of(
            "empty", "empty tables, before and after the others",
            "queued", FigureFormat.format(rows) + " jobs queued",
            "finished", FigureFormat.format(rows) + " jobs finished",
            "snapshot", "a snapshot held for " + hold + " s, the last windows",
            "limited",
                FigureFormat.format(LIMITED) + " jobs of another kind waiting for its limits");
    double empty = FigureFormat.of(results.getOrDefault("empty", List.of()), rate -> rate).median();
    results.forEach(
        (state, rates) -> {
          FigureFormat figures = FigureFormat.of(rates, rate -> rate);
          String ratio = FigureFormat.ratio(figures.median(), empty);
          String title = titles.getOrDefault(state, state);
          report.row(List.of(title, figures.spread(), ratio, AIMS.getOrDefault(state, "")));
          report.line("ratio " + contender.name() + " " + state + "/empty " + ratio);
        });
  }
}
