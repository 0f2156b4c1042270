package dev.monotick.postgres.job.handoff;

import java.util.UUID;

/**
 * Where this process is notified of jobs that were handed to it. All who may connect to a database
 * may notify any channel there, so only those who may read our tables learn the name. Thread-safe.
 */
public final class HandoffChannel {

  private volatile String name = newName();
  private volatile boolean listening;

  private static String newName() {
    return "monotick_" + UUID.randomUUID().toString().replace("-", "");
  }

  public String name() {
    return name;
  }

  /** Takes another name, which is not heard until a session listens on it. */
  public void rename() {
    listening = false;
    name = newName();
  }

  /** Says whether what is told there is heard, as far as is known. */
  public boolean isListening() {
    return listening;
  }

  public void listening(boolean is) {
    listening = is;
  }
}
