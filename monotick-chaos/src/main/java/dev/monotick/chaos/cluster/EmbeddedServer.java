package dev.monotick.chaos.cluster;

import dev.monotick.chaos.process.Signals;
import dev.monotick.chaos.process.Waiting;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A server of this process, in a folder of its own. */
public final class EmbeddedServer implements DatabaseServer {

  private volatile Path folder;
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

  /** Kills all its processes: SIGKILL. Returns when they are gone. */
  public void kill() {
    long pid = postmaster();
    List<ProcessHandle> processes = processes(pid);
    processes.forEach(ProcessHandle::destroyForcibly);
    Waiting.until(
        "end of the server",
        Duration.ofSeconds(30),
        () -> processes.stream().noneMatch(ProcessHandle::isAlive) && processes(pid).isEmpty());
  }

  /** Stops all its processes in their tracks: SIGSTOP. Returns their ids, for {@link #thaw}. */
  public List<Long> freeze() {
    List<Long> pids = processes(postmaster()).stream().map(ProcessHandle::pid).toList();
    pids.forEach(pid -> trySend("STOP", pid));
    return pids;
  }

  /** Lets processes go on that were frozen. */
  public void thaw(List<Long> pids) {
    pids.forEach(pid -> trySend("CONT", pid));
  }

  /** A session may have ended meanwhile. */
  private static void trySend(String signal, long pid) {
    try {
      Signals.send(signal, pid);
    } catch (IllegalStateException e) {
      if (ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
        throw e;
      }
    }
  }

  /** The postmaster first, so that it starts no more. */
  private static List<ProcessHandle> processes(long postmaster) {
    return ProcessHandle.of(postmaster)
        .map(parent -> Stream.concat(Stream.of(parent), parent.descendants()).toList())
        .orElse(List.of());
  }

  /**
   * Lets clients of other addresses in, by password. They need a way to this machine's loopback
   * address, which is all that the server listens on: see {@link Namespaces#routeLoopback}.
   */
  public void admit(String network) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      Files.writeString(
          folder.resolve("data").resolve("pg_hba.conf"),
          "host all all " + network + " scram-sha-256\n",
          StandardOpenOption.APPEND);
      statement.execute("select pg_reload_conf()");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new IllegalStateException("the server does not read its configuration", e);
    }
  }

  /** Starts it again, which replays its log. */
  public void restart() {
    postgres = start();
  }

  /** Returns where its data are. */
  Path folder() {
    return folder;
  }

  /** Has another server be this one from now on: its data, and where it listens. */
  void replaceBy(EmbeddedServer other) {
    folder = other.folder;
    postgres = other.postgres;
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
