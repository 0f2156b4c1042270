package dev.monotick.chaos.cluster;

import dev.monotick.chaos.process.Signals;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A server of this process, in a folder of its own. */
public final class EmbeddedServer implements DatabaseServer {

  private final Path folder;
  private volatile EmbeddedPostgres postgres;

  /** Starts one. */
  public EmbeddedServer(Path folder) {
    this.folder = folder;
    this.postgres = start();
  }

  @Override
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), postgres.port());
  }

  @Override
  public String user() {
    return postgres.user();
  }

  @Override
  public String password() {
    return postgres.password();
  }

  /**
   * Stops the server as {@code pg_ctl stop -m immediate} does: all its processes end at once,
   * without a checkpoint and without a word to clients. Returns when they are gone.
   */
  public void crash() {
    long pid = postmaster();
    Signals.send("QUIT", pid);
    Waiting.until(
        "end of the server",
        Duration.ofSeconds(30),
        () -> ProcessHandle.of(pid).map(process -> !process.isAlive()).orElse(true));
  }

  /** Starts it again, which replays its log. */
  public void restart() {
    postgres = start();
  }

  @Override
  public void close() {
    postgres.close();
  }

  private EmbeddedPostgres start() {
    return EmbeddedPostgres.builder()
        .folder(folder)
        .major(18)
        .setting("max_connections", "400")
        .start();
  }

  private long postmaster() {
    try {
      return Long.parseLong(
          Files.readAllLines(folder.resolve("data").resolve("postmaster.pid")).get(0).strip());
    } catch (IOException e) {
      throw new UncheckedIOException("the server does not run", e);
    }
  }
}
