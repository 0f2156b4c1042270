package dev.monotick.postgres.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/** Ports of the loopback interface. */
final class Ports {

  /** Below those that systems hand out to clients, one of which might have it at the next start. */
  private static final int LOWEST = 20_000;

  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 100;

  private Ports() {}

  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true); // as PostgreSQL does: a port is free when its server has ended
      socket.bind(new InetSocketAddress(loopback(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static int anyFree() {
    RandomGenerator random = RandomGenerator.getDefault();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = random.nextInt(LOWEST, HIGHEST);
      if (isFree(port)) {
        return port;
      }
    }
    throw new EmbeddedPostgresException(
        "found no free port on 127.0.0.1 between " + LOWEST + " and " + HIGHEST);
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }
}
