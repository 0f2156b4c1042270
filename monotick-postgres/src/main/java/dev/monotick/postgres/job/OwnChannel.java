package dev.monotick.postgres.job;

import java.util.UUID;

/**
 * Where this process is notified of jobs that were handed to it. All who may connect to a database
 * may notify any channel there, so only those who may read our tables learn the name. Thread-safe.
 */
final class OwnChannel {

  private volatile String name = newName();
  private volatile boolean heard;

  private static String newName() {
    return "monotick_" + UUID.randomUUID().toString().replace("-", "");
  }

  String name() {
    return name;
  }

  /** Takes another name, which is not heard until a session listens on it. */
  void rename() {
    heard = false;
    name = newName();
  }

  /** Says whether what is told there is heard, as far as is known. */
  boolean isHeard() {
    return heard;
  }

  void heard(boolean is) {
    heard = is;
  }
}
