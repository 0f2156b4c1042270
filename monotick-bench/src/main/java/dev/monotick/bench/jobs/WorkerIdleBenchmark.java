package dev.monotick.bench.jobs;

import dev.monotick.bench.contender.EngineUse;
import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What one worker process costs while there are no jobs: statements a second, as the server's log
 * has them, and processor time. All contenders idle at the same time, each on a database of its
 * own.
 */
public final class WorkerIdleBenchmark {

  private static final Map<String, String> OPTIONS =
      Map.of("peers", "all", "rounds", "3", "seconds", "60");
  private static final Duration WARM_UP = Duration.ofSeconds(20);

  /**
   * What one window came to.
   *
   * @param queries statements a second
   * @param control those that begin and end transactions
   * @param cpu seconds of processor time a minute
   */
  private record Window(double queries, double control, double cpu) {}

  private static final class Idler {
    private final Contender contender;
    private final BenchDatabase database;
    private final ContenderProcess process;
    private final List<Window> windows = new ArrayList<>();

    Idler(Contender contender, BenchDatabase database, ContenderProcess process) {
      this.contender = contender;
      this.database = database;
      this.process = process;
    }
  }

  private WorkerIdleBenchmark() {}

  /** Runs the benchmark; prints and keeps a table and lines for scripts. */
  public static void main(String[] args) throws Exception {
    BenchmarkOptions options = BenchmarkOptions.orExit(args, OPTIONS);
    int windows = options.number("rounds", 1, 100);
    int seconds = options.number("seconds", 5, 3600);
    List<Contender> contenders = NodePeers.available(options.contenders());
    Map<Contender, Idler> idlers = new LinkedHashMap<>();
    MeasuringAttempts attempts = new MeasuringAttempts();
    BenchmarkRun run = BenchmarkRun.begin("idle-jobs", args, options);
    try (BenchServer server = run.start(StatementCount.SETTINGS)) {
      try {
        for (Contender contender : contenders) {
          BenchmarkProgress.report("starting " + contender.name());
          attempts
              .attempt(contender, () -> start(server, contender))
              .ifPresent(idler -> idlers.put(contender, idler));
        }
        Clock clock = Clock.systemUTC();
        BenchmarkProgress.waitUntil(clock.instant().plus(WARM_UP), () -> "letting them settle");
        for (int window = 0; window < windows; window++) {
          measure(server, List.copyOf(idlers.values()), seconds);
        }
      } finally {
        for (Idler idler : idlers.values()) {
          idler.process.close();
        }
      }
    }
    BenchmarkReport report = report(contenders, idlers);
    attempts.addTo(report);
    run.finish(report);
  }

  private static Idler start(BenchServer server, Contender contender) throws Exception {
    BenchDatabase database = BenchDatabase.create(server, "idle_" + contender.name());
    ContenderProcess process = ContenderProcess.start(contender, database);
    process.request("install");
    process.request("work " + EngineUse.IDLE + " 1");
    return new Idler(contender, database, process);
  }

  private static void measure(BenchServer server, List<Idler> idlers, int seconds)
      throws Exception {
    long position = Files.size(server.log());
    List<Duration> before = idlers.stream().map(idler -> idler.process.cpu()).toList();
    long start = System.nanoTime();
    BenchmarkProgress.waitUntil(Clock.systemUTC().instant().plusSeconds(seconds), () -> "counting");
    double elapsed = (System.nanoTime() - start) / 1e9;
    StatementCount count = StatementCount.of(tail(server.log(), position));
    describe(idlers.get(0), count, elapsed);
    for (int i = 0; i < idlers.size(); i++) {
      Idler idler = idlers.get(i);
      String database = idler.database.name();
      double cpu = idler.process.cpu().minus(before.get(i)).toMillis() / 1e3;
      idler.windows.add(
          new Window(
              count.queries().getOrDefault(database, 0L) / elapsed,
              count.control().getOrDefault(database, 0L) / elapsed,
              cpu * 60 / elapsed));
    }
  }

  /** Says what the first of all asks for, and how often. */
  private static void describe(Idler idler, StatementCount count, double elapsed) {
    BenchmarkProgress.report(idler.contender.name() + " asks, a second:");
    count
        .texts()
        .getOrDefault(idler.database.name(), Map.of())
        .forEach(
            (text, times) ->
                BenchmarkProgress.report(
                    String.format(Locale.ROOT, "  %.2f  %s", times / elapsed, text)));
  }

  private static String tail(Path log, long position) throws Exception {
    byte[] all = Files.readAllBytes(log);
    return new String(all, (int) position, all.length - (int) position, StandardCharsets.UTF_8);
  }

  private static BenchmarkReport report(List<Contender> contenders, Map<Contender, Idler> idlers) {
    BenchmarkReport report = new BenchmarkReport("what a worker costs without jobs");
    report.head(
        List.of(
            "median of windows (least–most)",
            "queries/s",
            "begin and commit/s",
            "processor seconds a minute"));
    for (Idler idler : idlers.values()) {
      report.row(
          List.of(
              idler.contender.about().title(),
              FigureFormat.of(idler.windows, Window::queries).spread(),
              FigureFormat.of(idler.windows, Window::control).spread(),
              FigureFormat.of(idler.windows, Window::cpu).spread()));
      report.line(
          "idle "
              + idler.contender.name()
              + " queries/s "
              + FigureFormat.format(FigureFormat.of(idler.windows, Window::queries).median())
              + " cpu-s/min "
              + FigureFormat.format(FigureFormat.of(idler.windows, Window::cpu).median()));
    }
    report.settings(contenders, EngineUse.IDLE);
    return report;
  }
}
