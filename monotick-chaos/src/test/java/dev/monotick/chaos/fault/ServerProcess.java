package dev.monotick.chaos.fault;

import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.chaos.process.ParentProcess;
import java.nio.file.Path;

/**
 * A process that starts a PostgreSQL server, so that this gets the environment of the process and
 * not that of the test.
 */
final class ServerProcess {

  private ServerProcess() {}

  /** Starts a server in the folder that the argument names; stops it when told anything. */
  public static void main(String[] arguments) {
    EmbeddedServer server = new EmbeddedServer(Path.of(arguments[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    new HistoryWriter()
        .write(
            "listening",
            "port",
            server.address().getPort(),
            "user",
            server.user(),
            "password",
            server.password());
    ParentProcess.listen(line -> System.exit(0));
  }
}
