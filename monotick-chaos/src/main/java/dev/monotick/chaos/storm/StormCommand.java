package dev.monotick.chaos.storm;

import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.storm.StormOptions.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs a storm; see {@link StormOptions#USAGE}. */
public final class StormCommand {

  private StormCommand() {}

  /** Runs it. Ends with 0 if all is well, 1 if not, 2 if it was asked wrongly. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    StormOptions options;
    try {
      options = StormOptions.parse(System.nanoTime() & Integer.MAX_VALUE, arguments);
    } catch (UsageException e) {
      System.err.println("jobs-storm: " + e.getMessage());
      System.exit(2);
      return;
    }
    if (options.help()) {
      out.print(StormOptions.USAGE);
      return;
    }
    StormSettings settings = options.settings();
    Optional<String> obstacle = settings.packetLoss() ? StormNetwork.obstacle() : Optional.empty();
    if (obstacle.isPresent()) {
      System.err.println(
          "jobs-storm: packets cannot be dropped on this machine ("
              + obstacle.get()
              + "). That needs root, network namespaces and the program ip (Debian: iproute2)."
              + " Without it the storm proves less: --no-packet-loss runs it all the same.");
      System.exit(1);
      return;
    }
    out.println(
        settings.jobs()
            + " jobs, "
            + settings.workers()
            + " workers, seed "
            + settings.seed()
            + (settings.packetLoss() ? "" : ", WITHOUT packet loss"));
    Path folder = Files.createTempDirectory("monotick-storm");
    StormResult result;
    try (EmbeddedServer server = new EmbeddedServer(folder.resolve("server"))) {
      result = new JobStorm(settings, server, folder, out::println).run();
    } catch (IllegalStateException e) {
      System.err.println("jobs-storm: " + e.getMessage() + "; see " + folder);
      System.exit(1);
      return;
    }
    result.complaints().forEach(complaint -> System.err.println("jobs-storm: " + complaint));
    boolean good = result.complaints().isEmpty();
    if (good) {
      delete(folder);
    } else {
      System.err.println("jobs-storm: what the processes wrote is in " + folder);
    }
    out.println(result.line());
    System.exit(good ? 0 : 1);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
