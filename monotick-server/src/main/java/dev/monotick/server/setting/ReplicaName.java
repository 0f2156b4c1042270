package dev.monotick.server.setting;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this replica is called in logs, traces, and by the others. */
public final class ReplicaName {

  private ReplicaName() {}

  /** Returns the name that was set, or host and process. */
  public static String of(Settings settings) {
    String given = settings.get(Known.REPLICA_NAME);
    return given.isEmpty() ? host() + "-" + ProcessHandle.current().pid() : given;
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host"; // a host that cannot resolve itself still serves
    }
  }
}
