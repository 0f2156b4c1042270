package dev.monotick.chaos.fault;

import dev.monotick.chaos.cluster.EmbeddedServer;

/** The server that tests of this JVM share if they leave it alone; it stops with the JVM. */
final class Servers {

  private static final EmbeddedServer SHARED = new EmbeddedServer(Run.folder("server"));

  private Servers() {}

  static EmbeddedServer shared() {
    return SHARED;
  }
}
