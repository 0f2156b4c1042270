package dev.monotick.chaos.fault;

import dev.monotick.chaos.cluster.EmbeddedServer;

/** The server that all tests of this JVM share; it stops with the JVM. */
final class Servers {

  /** Locks it: a test may crash it, so one class at a time has it. */
  static final String SHARED_SERVER = "the shared server";

  private static final EmbeddedServer SHARED = new EmbeddedServer(Run.folder("server"));

  private Servers() {}

  static EmbeddedServer shared() {
    return SHARED;
  }
}
