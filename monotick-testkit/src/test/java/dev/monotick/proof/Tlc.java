package dev.monotick.proof;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tlc2.TLC;

/** Runs TLC, the model checker of TLA+, in a process of its own: it can be run only once in one. */
final class Tlc {

  private static final Duration SHORT = Duration.ofMinutes(5);
  private static final List<String> FOR_SHORT_RUNS =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g");
  private static final List<String> FOR_LONG_RUNS = List.of("-XX:+UseParallelGC", "-Xmx4g");

  private final Path specification;
  private final Path folder;
  private final Duration patience;

  /**
   * Prepares to explore a specification.
   *
   * @param folder where to put what TLC reads and writes
   * @param patience how long one exploration may take
   */
  Tlc(Path specification, Path folder, Duration patience) {
    this.specification = specification.toAbsolutePath().normalize();
    this.folder = folder.toAbsolutePath().normalize();
    this.patience = patience;
  }

  /** Explores one model, breadth first, so that what is found is among the shortest ways. */
  Finding explore(String name, Model model) throws IOException, InterruptedException {
    return explore(name, model.configuration(), model.invariants().equals(Model.ALL));
  }

  /**
   * Explores what a configuration describes.
   *
   * @param whole whether all states will be explored, so that the order does not matter
   */
  Finding explore(String name, String configuration, boolean whole)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Path log = folder.resolve(name + ".log");
    // TLC looks for the configuration where the specification is, so that comes here.
    Path copy = folder.resolve(specification.getFileName());
    Files.copy(specification, copy, StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(folder.resolve(name + ".cfg"), configuration);
    Process process =
        new ProcessBuilder(command(name, copy.getFileName().toString(), whole))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "TLC has not ended after " + patience + ": " + Files.readString(log));
      }
    } finally {
      process.destroyForcibly();
    }
    return Finding.of(Files.readString(log));
  }

  private List<String> command(String name, String file, boolean whole) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(patience.compareTo(SHORT) > 0 ? FOR_LONG_RUNS : FOR_SHORT_RUNS);
    command.add("-Djava.io.tmpdir=" + folder); // where it unpacks its own modules
    command.addAll(List.of("-cp", jar().toString(), TLC.class.getName()));
    // Only one worker finds the shortest way for certain, where one is looked for.
    int workers = whole ? Runtime.getRuntime().availableProcessors() : 1;
    command.addAll(List.of("-workers", String.valueOf(workers), "-cleanup"));
    command.addAll(List.of("-metadir", name + ".states", "-config", name + ".cfg", file));
    return command;
  }

  private static Path jar() {
    try {
      return Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
