package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * How long a job waits that one process adds and another runs: a job every 50 ms, nothing else to
 * do; and of Monotick the same while the processes are half as busy as they can be.
 */
public final class PickupBenchmark {

  private static final Map<String, String> OPTIONS =
      Map.of("peers", "all", "rounds", "3", "jobs", "1000", "load", "0", "warm", "8000");
  private static final int STEP_MILLIS = 50;
  private static final int WARM_UP = 60;

  /**
   * Before that, jobs are added at this step: services have run for a while. It is as fast as it
   * can be and still the same for the contenders as the step that is measured: a worker is idle
   * again by then, and others are told of each job alone.
   */
  private static final int WARM_UP_STEP_MILLIS = 13;

  private static final int WARM_UP_PART = 500;

  private static final int FLOOD_MILLIS = 6000;
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private PickupBenchmark() {}

  /** Runs the benchmark; prints and keeps a table and lines for scripts. */
  public static void main(String[] args) throws Exception {
    BenchmarkOptions options = BenchmarkOptions.orExit(args, OPTIONS);
    int windows = options.number("rounds", 1, 100);
    int jobs = options.number("jobs", 10, 10_000);
    int load = options.number("load", 0, 1_000_000);
    int warm = options.number("warm", 0, 1_000_000);
    List<Contender> contenders = NodePeers.available(options.contenders());
    Map<Contender, List<WaitTimes>> results = new LinkedHashMap<>();
    MeasuringAttempts attempts = new MeasuringAttempts();
    BenchmarkRun run = BenchmarkRun.begin("pickup", args, options);
    try (BenchServer server = run.start(Map.of())) {
      for (int window = 0; window < windows; window++) {
        for (Contender contender : Contenders.turned(contenders, window)) {
          String what = "window " + (window + 1) + " of " + windows + ", " + contender.name();
          attempts
              .attempt(contender, () -> new Pickup(server, contender).window(warm, jobs))
              .ifPresent(
                  waits -> {
                    results.computeIfAbsent(contender, any -> new ArrayList<>()).add(waits);
                    say(what, waits);
                  });
        }
      }
      BenchmarkReport report = report(contenders, results);
      Contender first = contenders.get(0);
      attempts.attempt(
          first,
          () -> {
            loaded(server, first, windows, jobs, load, report);
            return true;
          });
      attempts.addTo(report);
      run.finish(report);
    }
  }

  private static void say(String what, WaitTimes waits) {
    BenchmarkProgress.report(
        String.format(
            Locale.ROOT,
            "%s: p50 %.2f ms, p99 %.2f ms, missing %d",
            what,
            waits.sinceReturn().percentile(0.5),
            waits.sinceReturn().percentile(0.99),
            waits.missing()));
  }

  /** A sender and a worker of one contender on a new database. */
  private record Pickup(BenchServer server, Contender contender) {

    WaitTimes window(int warm, int jobs) throws Exception {
      try (BenchDatabase database = BenchDatabase.create(server, "pickup_" + contender.name());
          ContenderProcess sender = ContenderProcess.start(contender, database)) {
        sender.request("install " + EngineUse.PICKUP);
        try (ContenderProcess worker = ContenderProcess.start(contender, database)) {
          worker.request("work " + EngineUse.PICKUP + " " + (WARM_UP + jobs));
          warmUp(sender, WARM_UP + jobs, warm);
          awaitIdle(worker);
          BenchmarkProgress.report(
              contender.name() + ": a job every " + STEP_MILLIS + " ms, " + jobs + " times");
          sender.request("pace 0 " + WARM_UP + " " + STEP_MILLIS);
          server.execute("checkpoint");
          long before = Long.parseLong(worker.request("count"));
          String sent = sender.request("pace " + WARM_UP + " " + jobs + " " + STEP_MILLIS);
          awaitCount(worker, before + jobs);
          return WaitTimes.of(sent, worker.request("starts"));
        }
      }
    }

    /** Adds jobs whose numbers nobody asks for. */
    private void warmUp(ContenderProcess sender, int from, int count) throws Exception {
      ProgressLine told = new ProgressLine(contender.name() + " warms up");
      for (int done = 0; done < count; done += WARM_UP_PART) {
        int part = Math.min(WARM_UP_PART, count - done);
        sender.request("pace " + (from + done) + " " + part + " " + WARM_UP_STEP_MILLIS);
        told.at(done, count);
      }
    }
  }

  private static void awaitCount(ContenderProcess worker, long count) throws Exception {
    ProgressLine told = new ProgressLine("jobs begun");
    long give = System.nanoTime() + PATIENCE.toNanos();
    for (long seen = 0; seen < count && System.nanoTime() < give; ) {
      seen = Long.parseLong(worker.request("count"));
      told.at(seen, count);
      BenchmarkProgress.pause(Duration.ofMillis(50));
    }
  }

  private static BenchmarkReport report(
      List<Contender> contenders, Map<Contender, List<WaitTimes>> results) {
    BenchmarkReport report = new BenchmarkReport("how soon a job begins that another process adds");
    report.head(
        List.of(
            "ms: median of windows (least–most)",
            "p50 since the call returned",
            "p99",
            "p50 since the call began",
            "p99",
            "the call, p50",
            "jobs that did not begin"));
    for (Contender contender : contenders) {
      List<WaitTimes> windows = results.getOrDefault(contender, List.of());
      report.row(row(contender.about().title(), windows));
    }
    report.settings(contenders, EngineUse.PICKUP);
    report.line("lower is better in the following ratios");
    ratios(report, "ratio", contenders, results, WaitTimes::sinceReturn, 0.5);
    ratios(report, "ratio-p99", contenders, results, WaitTimes::sinceReturn, 0.99);
    ratios(report, "ratio-since-call", contenders, results, WaitTimes::sinceCall, 0.5);
    ratios(report, "ratio-since-call-p99", contenders, results, WaitTimes::sinceCall, 0.99);
    return report;
  }

  private static List<String> row(String title, List<WaitTimes> windows) {
    return List.of(
        title,
        over(windows, WaitTimes::sinceReturn, 0.5).spread(),
        over(windows, WaitTimes::sinceReturn, 0.99).spread(),
        over(windows, WaitTimes::sinceCall, 0.5).spread(),
        over(windows, WaitTimes::sinceCall, 0.99).spread(),
        over(windows, WaitTimes::calls, 0.5).spread(),
        String.valueOf(windows.stream().mapToInt(WaitTimes::missing).sum()));
  }

  private static FigureFormat over(
      List<WaitTimes> windows, Function<WaitTimes, FigureFormat> what, double share) {
    return FigureFormat.of(windows, window -> what.apply(window).percentile(share));
  }

  private static void ratios(
      BenchmarkReport report,
      String word,
      List<Contender> contenders,
      Map<Contender, List<WaitTimes>> results,
      Function<WaitTimes, FigureFormat> what,
      double share) {
    report.ratios(
        word,
        contenders,
        each -> over(results.getOrDefault(each, List.of()), what, share).median());
  }

  /**
   * The same while another process adds jobs: half as many a second as the worker runs of those
   * that it gets when that process adds as many as it can.
   */
  private static void loaded(
      BenchServer server,
      Contender contender,
      int windows,
      int jobs,
      int load,
      BenchmarkReport report)
      throws Exception {
    int numbers = WARM_UP + windows * jobs;
    List<WaitTimes> results = new ArrayList<>();
    try (BenchDatabase database = BenchDatabase.create(server, "pickup_loaded");
        ContenderProcess sender = ContenderProcess.start(contender, database)) {
      sender.request("install " + EngineUse.PICKUP);
      try (ContenderProcess loader = ContenderProcess.start(contender, database);
          ContenderProcess worker = ContenderProcess.start(contender, database)) {
        worker.request("work " + EngineUse.PICKUP + " " + numbers);
        double capacity = load > 0 ? 2.0 * load : capacity(loader, worker);
        int half = (int) Math.round(capacity / 2);
        BenchmarkProgress.report("half of what it can do: " + half + " jobs/s");
        sender.request("pace 0 " + WARM_UP + " " + STEP_MILLIS);
        for (int window = 0; window < windows; window++) {
          loader.send("load " + half + " " + (1000 + jobs * STEP_MILLIS));
          BenchmarkProgress.pause(Duration.ofMillis(500));
          int from = WARM_UP + window * jobs;
          String sent = sender.request("pace " + from + " " + jobs + " " + STEP_MILLIS);
          loader.receive();
          BenchmarkProgress.pause(Duration.ofMillis(500));
          WaitTimes waits = WaitTimes.of(sent, worker.request("starts"));
          results.add(waits);
          say("window " + (window + 1) + " of " + windows + ", under load", waits);
        }
        report.row(row(contender.about().title() + ", with " + half + " jobs/s beside", results));
        report.line(
            String.format(
                Locale.ROOT,
                "loaded-p99-ms %s %.2f",
                contender.name(),
                over(results, WaitTimes::sinceReturn, 0.99).median()));
        others(database, report);
      }
    }
  }

  /**
   * Tells how long the jobs waited that were the load: since they were added, in a batch, until
   * they began. The first half is left out, in which as many were added as possible.
   */
  private static void others(BenchDatabase database, BenchmarkReport report) throws Exception {
    BenchmarkProgress.report("reading how long the other jobs waited");
    for (String figure : List.of("0.5", "0.99", "0.999", "1")) {
      long micros =
          database.ask(
              """
              select percentile_disc(%s) within group (
                       order by extract(epoch from a.started_at - j.created_at) * 1000000)::bigint
                from monotick.job j
                join monotick.job_attempt a on a.job_id = j.id
               where j.created_at > (select max(created_at) from monotick.job) - interval '25 seconds'
              """
                  .formatted(figure));
      report.line(String.format(Locale.ROOT, "loaded-others-p%s-ms %.2f", figure, micros / 1000.0));
    }
  }

  /** Returns how many jobs a second are run while as many as possible are added. */
  private static double capacity(ContenderProcess loader, ContenderProcess worker)
      throws Exception {
    loader.request("load 0 " + FLOOD_MILLIS / 3); // warms up both
    long before = Long.parseLong(worker.request("count"));
    long start = Clock.systemUTC().millis();
    String added = loader.request("load 0 " + FLOOD_MILLIS);
    long after = Long.parseLong(worker.request("count"));
    double rate = (after - before) * 1000.0 / (Clock.systemUTC().millis() - start);
    BenchmarkProgress.report(
        String.format(
            Locale.ROOT,
            "adding all it can: %.0f jobs/s added, %.0f run",
            EnqueueBenchmark.rate(added),
            rate));
    awaitIdle(worker);
    return rate;
  }

  /** Waits until a worker has nothing more to run. */
  private static void awaitIdle(ContenderProcess worker) throws Exception {
    long seen = -1;
    for (long now = Long.parseLong(worker.request("count")); now > seen; ) {
      seen = now;
      BenchmarkProgress.pause(Duration.ofSeconds(1));
      now = Long.parseLong(worker.request("count"));
      BenchmarkProgress.report("  what was added is run: " + now);
    }
  }
}
