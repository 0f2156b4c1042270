package dev.monotick.chaos.campaign;

import dev.monotick.chaos.campaign.ChaosOptions.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Runs chaos; see {@link ChaosOptions#USAGE}. */
public final class ChaosCommand {

  private static final int MOST_SHOWN = 20;

  private ChaosCommand() {}

  /** Runs it. Ends with 0 if all is well, 1 if not, 2 if it was asked wrongly. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    ChaosOptions options;
    try {
      options = ChaosOptions.parse(System.nanoTime() & Integer.MAX_VALUE, arguments);
    } catch (UsageException e) {
      System.err.println("chaos: " + e.getMessage());
      System.exit(2);
      return;
    }
    if (options.help()) {
      out.print(ChaosOptions.USAGE);
      return;
    }
    System.exit(run(options, out) ? 0 : 1);
  }

  private static boolean run(ChaosOptions options, PrintStream out) throws Exception {
    ChaosSettings settings = options.settings();
    Path folder =
        options.folder().isPresent()
            ? Files.createDirectories(options.folder().get().toAbsolutePath())
            : Files.createTempDirectory("monotick-chaos-" + settings.seed() + "-");
    out.println(
        settings.backend().title()
            + settings.replication().title()
            + (settings.control() ? ", ledger and fence switched off" : "")
            + ", "
            + settings.replicas()
            + " replicas, "
            + settings.lasting().toSeconds()
            + " s, seed "
            + settings.seed()
            + ", histories in "
            + folder);
    ChaosRun run = new ChaosRun(settings, folder, out::println);
    ChaosResult result;
    try {
      result = run.run();
    } catch (IllegalStateException | SQLException e) {
      System.err.println("chaos: the run broke off: " + e.getMessage());
      System.err.println("chaos: seed " + settings.seed() + ", histories in " + folder);
      return false;
    }
    if (result.violations().isEmpty() || settings.control()) { // else somebody wants to look
      delete(folder.resolve("server"));
      delete(folder.resolve("standby"));
    }
    List<String> complaints = result.complaints();
    complaints.stream()
        .limit(MOST_SHOWN)
        .forEach(complaint -> System.err.println("chaos: " + complaint));
    if (!complaints.isEmpty()) {
      System.err.println(
          "chaos: "
              + complaints.size()
              + " complaints; seed "
              + settings.seed()
              + ", histories in "
              + folder);
    }
    if (options.report().isPresent()) {
      RunRecords.write(options.report().get(), result, run.journal().all());
    }
    out.println(result.line());
    return complaints.isEmpty();
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
