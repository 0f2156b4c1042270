package dev.monotick.bench.jobs;

import dev.monotick.bench.postgres.BenchServer;
import dev.monotick.bench.postgres.BenchmarkProgress;
import dev.monotick.bench.postgres.StolenTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A run of a benchmark: knows when and where it was, and keeps its report. One that counts becomes
 * a page of the documentation, {@code docs/benchmarks/NAME.md}; of a trial the same is written
 * below {@code target}. Not thread-safe.
 */
final class BenchmarkRun {

  private static final Path DOCS = Path.of("docs");
  private static final Path TRIALS = Path.of("monotick-bench", "target", "docs");

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final String name;
  private final String command;
  private final boolean counts;
  private final Path root;
  private final Instant begun = Clock.systemUTC().instant();
  private final StolenTime before = StolenTime.now();
  private final String load = BenchServer.load();
  private String server = "no PostgreSQL";

  BenchmarkRun(String name, String command, boolean counts, Path root) {
    this.name = name;
    this.command = command;
    this.counts = counts;
    this.root = root;
  }

  /** Begins one of the benchmark that {@code scripts/bench} knows by that name. */
  static BenchmarkRun begin(String name, String[] args, BenchmarkOptions options) {
    return begin(name, name, args, options);
  }

  /** Begins one whose page has another name, because it measures only a part. */
  static BenchmarkRun begin(String page, String name, String[] args, BenchmarkOptions options) {
    List<String> words = new ArrayList<>(List.of("scripts/bench", name));
    words.addAll(List.of(args));
    return new BenchmarkRun(page, String.join(" ", words), options.isFull(), NodePeers.root());
  }

  /** Starts the server that it is measured on. */
  BenchServer start(Map<String, String> settings) throws Exception {
    BenchServer started = JobServer.start(settings);
    try {
      server = started.about();
      return started;
    } catch (SQLException e) {
      started.close();
      throw e;
    }
  }

  /** Prints the report, keeps it, and says where. */
  void finish(BenchmarkReport report) throws IOException {
    System.out.println(report.text());
    BenchmarkProgress.report(
        (counts ? "report: " : "a trial, for it is smaller than by default; report: ")
            + write(report));
  }

  /** Writes the report and its chart. */
  Path write(BenchmarkReport report) throws IOException {
    Path docs = root.resolve(counts ? DOCS : TRIALS);
    if (report.chart() != null) {
      save(docs.resolve(Path.of("images", image())), report.chart().svg());
    }
    return save(docs.resolve(Path.of("benchmarks", name + ".md")), page(report));
  }

  private static Path save(Path file, String text) throws IOException {
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    return Files.writeString(file, text);
  }

  private String image() {
    return "bench-" + name + ".svg";
  }

  private String page(BenchmarkReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("# Benchmark " + name + ": " + report.title());
    lines.add("");
    lines.add(
        (counts ? "Written by" : "**A trial, smaller than what counts.** Written by")
            + " `"
            + command
            + "`; [how it is measured](../benchmarks.md#jobs-how-they-are-measured).");
    lines.add("");
    facts().forEach(fact -> lines.add("- " + fact));
    if (report.chart() != null) {
      lines.add("");
      lines.add("![" + report.chart().title() + "](../images/" + image() + ")");
    }
    lines.addAll(report.table()); // which begins with an empty line
    if (!report.notes().isEmpty()) {
      lines.add("");
      lines.addAll(report.notes());
    }
    lines.add("");
    lines.add("```");
    lines.addAll(report.lines());
    lines.add("```");
    return String.join("\n", lines) + "\n";
  }

  private List<String> facts() {
    Instant now = Clock.systemUTC().instant();
    return List.of(
        DATE.format(begun) + ", for " + Duration.between(begun, now).toSeconds() + " s",
        Machine.here(),
        "Java " + Runtime.version(),
        server,
        "load average at the beginning " + load + "; " + stolen(StolenTime.now()));
  }

  /** Says what others got of the processors all the while; drains say it of each as well. */
  private String stolen(StolenTime now) {
    return now.all() <= before.all()
        ? "it is not known what others got of the processors"
        : "others got " + FigureFormat.format(now.percentSince(before)) + " % of the processors";
  }
}
