package dev.monotick.chaos.cluster;

import dev.monotick.chaos.network.FaultProxy;
import dev.monotick.chaos.network.ProxyBehaviour;
import dev.monotick.chaos.process.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A second server that streams from a first one, through a network that can be cut, and can take
 * its place. Not thread-safe.
 */
public final class Standby implements AutoCloseable {

  private static final String NAME = "standby";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final EmbeddedServer primary;
  private final EmbeddedServer server;
  private final FaultProxy way;
  private boolean promoted;

  private Standby(EmbeddedServer primary, EmbeddedServer server, FaultProxy way) {
    this.primary = primary;
    this.server = server;
    this.way = way;
  }

  /**
   * Makes one from a server that nobody uses yet, which is stopped for that and started again.
   *
   * @param folder for its data; must not exist
   * @param synchronous whether the first server acknowledges no commit that this one has not
   */
  public static Standby of(EmbeddedServer primary, Path folder, boolean synchronous)
      throws SQLException {
    FaultProxy way = FaultProxy.to(primary::address);
    primary.close();
    append(
        primary.folder().resolve("data").resolve("pg_hba.conf"),
        "host replication all 127.0.0.1/32 scram-sha-256\n");
    copy(primary.folder(), folder);
    append(
        folder.resolve("data").resolve("postgresql.auto.conf"),
        "primary_conninfo = 'host=127.0.0.1 port="
            + way.port()
            + " user="
            + primary.user()
            + " password="
            + primary.password()
            + " application_name="
            + NAME
            + "'\n");
    signal(folder.resolve("data"));
    primary.restart();
    Standby standby = new Standby(primary, new EmbeddedServer(folder), way);
    standby.awaitStreaming();
    if (synchronous) {
      standby.execute("alter system set synchronous_standby_names = '" + NAME + "'");
      standby.execute("select pg_reload_conf()");
    }
    return standby;
  }

  /** Cuts the way between the servers, both ways and without a word. */
  public void cutOff() {
    way.set(ProxyBehaviour.CUT_BOTH_WAYS);
  }

  /**
   * Kills the first server, with all that did not reach this one, and has this one take its place:
   * the first one's address is this one's from then on.
   */
  public void takeOver() throws SQLException {
    primary.kill();
    way.close(); // what was held up is gone
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("select pg_promote(true, 60)");
    }
    promoted = true;
    primary.replaceBy(server);
  }

  @Override
  public void close() {
    way.close();
    if (!promoted) {
      server.close();
    }
  }

  private void awaitStreaming() {
    Waiting.until(
        "standby that streams",
        PATIENCE,
        () -> {
          try (Connection connection = primary.connect();
              Statement statement = connection.createStatement();
              ResultSet row =
                  statement.executeQuery(
                      "select 1 from pg_stat_replication where state = 'streaming'")) {
            return row.next();
          } catch (SQLException e) {
            return false;
          }
        });
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = primary.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void append(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An empty file that makes a server a standby, owned by whoever owns the rest. */
  private static void signal(Path data) {
    Path signal = data.resolve("standby.signal");
    try {
      Files.createFile(signal);
      Files.setOwner(signal, Files.getOwner(data));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With owners and rights. */
  private static void copy(Path from, Path to) {
    try {
      Process copy =
          new ProcessBuilder("cp", "-a", from.toString(), to.toString()).inheritIO().start();
      if (!copy.waitFor(60, TimeUnit.SECONDS) || copy.exitValue() != 0) {
        throw new IllegalStateException("the data of the server cannot be copied");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
