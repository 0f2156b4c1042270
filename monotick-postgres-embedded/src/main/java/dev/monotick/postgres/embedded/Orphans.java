package dev.monotick.postgres.embedded;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes of a server whose first process was killed. Most notice that by themselves and end; one
 * that is busy with a query goes on, and no new server can be started while it does. To kill it
 * loses nothing that was committed, as the next start recovers anyway.
 */
final class Orphans {

  private static final Logger LOG = LoggerFactory.getLogger(Orphans.class);
  private static final int SECONDS_TO_END = 10;

  private Orphans() {}

  /** The name by which all processes of a server are known from the machine's list of processes. */
  static String clusterName(String data) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(data.getBytes(StandardCharsets.UTF_8));
      return "monotick-" + HexFormat.of().formatHex(digest, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK knows SHA-256", e);
    }
  }

  /** Kills what a dead server has left, and waits until it is gone. */
  static void kill(Postmaster dead) {
    List<ProcessHandle> orphans = of(dead);
    for (ProcessHandle orphan : orphans) {
      LOG.info("killing a process that a dead server has left pid={}", orphan.pid());
      orphan.destroyForcibly();
    }
    Polling.await(
        SECONDS_TO_END,
        () -> orphans.stream().noneMatch(orphan -> Processes.isAlive(orphan.pid())));
  }

  private static List<ProcessHandle> of(Postmaster dead) {
    String title = "postgres: " + clusterName(dead.data()) + ": ";
    return ProcessHandle.allProcesses()
        .filter(process -> String.join(" ", Processes.commandLine(process.pid())).startsWith(title))
        .filter(process -> !hasServer(process))
        .toList();
  }

  /** A server of another container may go by the same path; its processes still have a parent. */
  private static boolean hasServer(ProcessHandle process) {
    return process
        .parent()
        .map(parent -> Processes.commandLine(parent.pid()))
        .filter(words -> !words.isEmpty() && words.get(0).endsWith("postgres"))
        .isPresent();
  }
}
