package dev.monotick.chaos.failover;

import dev.monotick.chaos.check.Findings;
import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.failover.FailoverOptions.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Measures takeovers; see {@link FailoverOptions#USAGE}. */
public final class Failover {

  private final FailoverOptions options;
  private final PrintStream out;
  private final Path folder;
  private final List<String> violations = new ArrayList<>(); // guarded by itself

  private Failover(FailoverOptions options, PrintStream out, Path folder) {
    this.options = options;
    this.out = out;
    this.folder = folder;
  }

  /** Runs it. Ends with 0 if everything was measured, 1 if not, 2 if it was asked wrongly. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    FailoverOptions options;
    try {
      options = FailoverOptions.parse(arguments);
    } catch (UsageException e) {
      System.err.println("failover: " + e.getMessage());
      System.exit(2);
      return;
    }
    if (options.help()) {
      out.print(FailoverOptions.USAGE);
      return;
    }
    Path folder = Files.createTempDirectory("monotick-failover");
    boolean good = new Failover(options, out, folder).run();
    if (good) {
      delete(folder);
    } else {
      System.err.println("failover: what the processes wrote is in " + folder);
    }
    System.exit(good ? 0 : 1);
  }

  private boolean run() throws IOException, InterruptedException {
    List<FailoverResults> all = new ArrayList<>();
    try (EmbeddedServer server = new EmbeddedServer(folder.resolve("server"))) {
      for (LeaderFault fault : options.faults()) {
        all.add(measure(fault, server));
        if (!violations.isEmpty()) {
          break;
        }
      }
    }
    if (!violations.isEmpty()) {
      violations.forEach(violation -> System.err.println("failover: " + violation));
      return false;
    }
    StringBuilder table = new StringBuilder(FailoverResults.head()).append('\n');
    all.forEach(results -> table.append(results.row()).append('\n'));
    out.println();
    out.print(table);
    out.println();
    if (options.markdown().isPresent()) {
      Files.writeString(options.markdown().get(), table);
    }
    all.forEach(results -> out.println(results.line()));
    return true;
  }

  private FailoverResults measure(LeaderFault fault, EmbeddedServer server)
      throws InterruptedException {
    int parallel =
        Math.min(options.trials(), options.parallel() == 0 ? fault.parallel : options.parallel());
    out.printf(
        "%s: %d trials on %d cluster%s of 3 replicas%n",
        fault.text(), options.trials(), parallel, parallel == 1 ? "" : "s");
    FailoverResults results = new FailoverResults(fault);
    AtomicInteger left = new AtomicInteger(options.trials());
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i <= parallel; i++) {
      String schema = fault.text() + "_" + i;
      Thread thread = new Thread(() -> measure(fault, schema, server, left, results), schema);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return results;
  }

  private void measure(
      LeaderFault fault,
      String schema,
      EmbeddedServer server,
      AtomicInteger left,
      FailoverResults results) {
    String leadership = options.leadership().equals("row") ? "LEASE_ROW" : "ADVISORY_LEASE";
    try (TrialRunner runner =
        new TrialRunner(
            schema, leadership, server, Files.createDirectory(folder.resolve(schema)))) {
      while (left.getAndDecrement() > 0) {
        FailoverResults.Trial trial = runner.run(fault);
        out.printf(
            Locale.ROOT,
            "%s %d/%d: takeover %.3f s, first tick %.3f s%n",
            fault.text(),
            results.add(trial),
            options.trials(),
            trial.takeover() / 1e9,
            trial.firstTick() / 1e9);
      }
      Findings findings = runner.check();
      out.printf("%s: %s%n", schema, findings);
      findings.violations().forEach(this::violation);
    } catch (IOException | RuntimeException e) {
      left.set(0); // without all trials there is no result
      violation(schema + ": " + e.getMessage());
    }
  }

  private void violation(String text) {
    synchronized (violations) {
      violations.add(text);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
