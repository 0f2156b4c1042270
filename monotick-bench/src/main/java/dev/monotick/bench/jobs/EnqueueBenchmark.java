package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many jobs a second are added durably by one process: a thousand by each call, one by one on
 * one thread, and one by one by 32 callers at once. Nobody runs them.
 */
public final class EnqueueBenchmark {

  private static final Map<String, String> OPTIONS =
      Map.of("peers", "all", "rounds", "3", "seconds", "5");
  private static final int WARM_UP_MILLIS = 1500;

  /** The ways of adding, with the command that asks for each. */
  private enum Way {
    BULK("bulk", "1000 per call", "ratio-bulk"),
    SINGLE("single", "one by one, 1 thread", "ratio-single"),
    THREADS("threads 32", "one by one, 32 callers", "ratio-32");

    private final String command;
    private final String title;
    private final String word;

    Way(String command, String title, String word) {
      this.command = command;
      this.title = title;
      this.word = word;
    }
  }

  private EnqueueBenchmark() {}

  /** Runs the benchmark; prints and keeps a table and lines for scripts. */
  public static void main(String[] args) throws Exception {
    BenchmarkOptions options = BenchmarkOptions.orExit(args, OPTIONS);
    int rounds = options.number("rounds", 1, 100);
    int millis = 1000 * options.number("seconds", 1, 600);
    List<Contender> contenders = NodePeers.available(options.contenders());
    Map<Contender, Map<Way, List<Double>>> results = new LinkedHashMap<>();
    contenders.forEach(each -> results.put(each, new EnumMap<>(Way.class)));
    MeasuringAttempts attempts = new MeasuringAttempts();
    BenchmarkRun run = BenchmarkRun.begin("enqueue", args, options);
    try (BenchServer server = run.start(Map.of())) {
      for (int round = 0; round < rounds; round++) {
        for (Contender contender : Contenders.turned(contenders, round)) {
          BenchmarkProgress.report(
              "round " + (round + 1) + " of " + rounds + ", " + contender.name());
          Map<Way, List<Double>> rates = results.getOrDefault(contender, Map.of());
          attempts
              .attempt(contender, () -> measure(server, contender, millis))
              .orElse(Map.of())
              .forEach(
                  (way, rate) -> rates.computeIfAbsent(way, any -> new ArrayList<>()).add(rate));
        }
      }
    }
    BenchmarkReport report = report(contenders, results);
    attempts.addTo(report);
    run.finish(report);
  }

  private static Map<Way, Double> measure(BenchServer server, Contender contender, int millis)
      throws Exception {
    Map<Way, Double> rates = new EnumMap<>(Way.class);
    try (BenchDatabase database = BenchDatabase.create(server, "enqueue_" + contender.name());
        ContenderProcess sender = ContenderProcess.start(contender, database)) {
      sender.request("install");
      for (Way way : Way.values()) {
        sender.request(way.command + " " + WARM_UP_MILLIS);
        server.execute("checkpoint");
        double rate = rate(sender.request(way.command + " " + millis));
        rates.put(way, rate);
        BenchmarkProgress.report("  " + way.title + ": " + FigureFormat.format(rate) + " jobs/s");
      }
    }
    return rates;
  }

  /** Reads an answer such as {@code 5000 1000000000}, a number and nanoseconds. */
  static double rate(String answer) {
    String[] parts = answer.split(" ", -1);
    return Double.parseDouble(parts[0]) * 1e9 / Double.parseDouble(parts[1]);
  }

  private static BenchmarkReport report(
      List<Contender> contenders, Map<Contender, Map<Way, List<Double>>> results) {
    BenchmarkReport report = new BenchmarkReport("jobs that one process adds durably");
    List<String> head = new ArrayList<>(List.of("jobs/s: median (least–most)"));
    for (Way way : Way.values()) {
      head.add(way.title);
    }
    report.head(head);
    for (Contender contender : contenders) {
      List<String> row = new ArrayList<>(List.of(contender.about().title()));
      for (Way way : Way.values()) {
        row.add(figures(results, contender, way).spread());
      }
      report.row(row);
    }
    report.settings(contenders, EngineUse.DRAIN); // what their processes are installed for
    for (Way way : Way.values()) {
      report.ratios(way.word, contenders, each -> figures(results, each, way).median());
    }
    Contender first = contenders.get(0);
    for (Way way : Way.values()) {
      report.line(
          "rate "
              + first.name()
              + " "
              + way.command.replace(' ', '-')
              + " "
              + Math.round(figures(results, first, way).median()));
    }
    return report;
  }

  private static FigureFormat figures(
      Map<Contender, Map<Way, List<Double>>> results, Contender contender, Way way) {
    return FigureFormat.of(
        results.getOrDefault(contender, Map.of()).getOrDefault(way, List.of()), rate -> rate);
  }
}
