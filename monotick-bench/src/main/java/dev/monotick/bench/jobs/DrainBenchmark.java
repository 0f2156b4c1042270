package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * How many jobs a second are run of those that wait, when they do nothing: by one worker process
 * and by two. Each contender and round has a database of its own on the same server; contenders
 * take turns.
 */
public final class DrainBenchmark {

  private static final Map<String, String> OPTIONS =
      Map.of("peers", "all", "rounds", "3", "jobs", "100000", "processes", "1,2", "warm", "10");

  private DrainBenchmark() {}

  private record Key(Contender contender, int processes) {}

  /** Runs the benchmark; prints and keeps a table, a chart and lines for scripts. */
  public static void main(String[] args) throws Exception {
    BenchmarkOptions options = BenchmarkOptions.orExit(args, OPTIONS);
    int rounds = options.number("rounds", 1, 100);
    int jobs = options.number("jobs", 100, 10_000_000);
    int warm = options.number("warm", 0, 100);
    List<Integer> processes = options.processes();
    List<Contender> contenders = NodePeers.available(options.contenders());
    Map<Key, List<Drain.Result>> results = new LinkedHashMap<>();
    MeasuringAttempts attempts = new MeasuringAttempts();
    BenchmarkRun run = BenchmarkRun.begin("drain", args, options);
    try (BenchServer server = run.start(Map.of())) {
      Drain drain = new Drain(server, warm);
      for (int round = 0; round < rounds; round++) {
        for (Contender contender : Contenders.turned(contenders, round)) {
          for (int count : processes) {
            String what = "round " + (round + 1) + " of " + rounds;
            attempts
                .attempt(contender, () -> drain.run(contender, contender.jobs(jobs, count), count))
                .ifPresent(
                    result -> {
                      results
                          .computeIfAbsent(new Key(contender, count), any -> new ArrayList<>())
                          .add(result);
                      say(what, contender, count, result);
                    });
          }
        }
      }
    }
    BenchmarkReport report = report(contenders, processes, results, jobs);
    report.chart(chart(contenders, processes, results));
    attempts.addTo(report);
    run.finish(report);
  }

  private static void say(String what, Contender contender, int processes, Drain.Result result) {
    BenchmarkProgress.report(
        what
            + ", "
            + contender.name()
            + ", processes="
            + processes
            + ": "
            + FigureFormat.format(result.all())
            + " jobs/s, steady "
            + FigureFormat.format(result.steady())
            + (result.stolen() < 1
                ? ""
                : ", while others got " + Math.round(result.stolen()) + " % of the processors")
            + (result.fault().isEmpty() ? "" : " FAULT " + result.fault()));
  }

  private static FigureFormat figures(
      Map<Key, List<Drain.Result>> results,
      Contender contender,
      int processes,
      ToDoubleFunction<Drain.Result> value) {
    return FigureFormat.of(results.getOrDefault(new Key(contender, processes), List.of()), value);
  }

  private static BenchmarkReport report(
      List<Contender> contenders,
      List<Integer> processes,
      Map<Key, List<Drain.Result>> results,
      int jobs) {
    BenchmarkReport report =
        new BenchmarkReport("jobs that wait, run by one and by two worker processes");
    List<String> head = new ArrayList<>(List.of("jobs/s: median (least–most)", "jobs"));
    for (int count : processes) {
      String who = count == 1 ? "1 process" : count + " processes";
      head.addAll(List.of(who + ": all", who + ": steady", who + ": cpu ms/job, worker + server"));
    }
    head.add("each once, none left");
    report.head(head);
    for (Contender contender : contenders) {
      List<String> row = new ArrayList<>(List.of(contender.about().title()));
      row.add(
          String.join(
              " / ",
              processes.stream()
                  .map(count -> FigureFormat.format(contender.jobs(jobs, count)))
                  .distinct()
                  .toList()));
      List<String> faults = new ArrayList<>();
      for (int count : processes) {
        row.add(figures(results, contender, count, Drain.Result::all).spread());
        row.add(figures(results, contender, count, Drain.Result::steady).spread());
        row.add(
            FigureFormat.format(
                    figures(results, contender, count, Drain.Result::workerCpu).median())
                + " + "
                + FigureFormat.format(
                    figures(results, contender, count, Drain.Result::serverCpu).median()));
        results.getOrDefault(new Key(contender, count), List.of()).stream()
            .map(Drain.Result::fault)
            .filter(fault -> !fault.isEmpty())
            .forEach(faults::add);
      }
      boolean measured =
          processes.stream().anyMatch(n -> results.containsKey(new Key(contender, n)));
      row.add(!measured ? "–" : faults.isEmpty() ? "yes" : String.join("; ", faults));
      report.row(row);
    }
    report.settings(contenders, EngineUse.DRAIN);
    report.line(
        "stolen-percent-most "
            + Math.round(
                results.values().stream()
                    .flatMap(List::stream)
                    .mapToDouble(Drain.Result::stolen)
                    .max()
                    .orElse(0)));
    for (int count : processes) {
      String suffix = count == 1 ? "" : "-" + count + "p";
      report.ratios(
          "ratio" + suffix,
          contenders,
          each -> figures(results, each, count, Drain.Result::all).median());
      report.ratios(
          "ratio-steady" + suffix,
          contenders,
          each -> figures(results, each, count, Drain.Result::steady).median());
    }
    if (processes.contains(1) && processes.contains(2)) {
      for (Contender contender : contenders) {
        report.line(
            "ratio-2p-to-1p "
                + contender.name()
                + " "
                + FigureFormat.ratio(
                    figures(results, contender, 2, Drain.Result::all).median(),
                    figures(results, contender, 1, Drain.Result::all).median()));
      }
    }
    return report;
  }

  private static BarChart chart(
      List<Contender> contenders, List<Integer> processes, Map<Key, List<Drain.Result>> results) {
    List<String> series =
        processes.stream().map(n -> n == 1 ? "1 worker process" : n + " worker processes").toList();
    BarChart chart = new BarChart("No-op jobs run per second, durable PostgreSQL 18", series);
    for (Contender contender : contenders) {
      chart.group(
          contender.about().title(),
          processes.stream()
              .map(n -> figures(results, contender, n, Drain.Result::all).median())
              .toList());
    }
    return chart;
  }
}
