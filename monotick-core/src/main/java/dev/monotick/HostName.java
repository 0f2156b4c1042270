package dev.monotick;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What to call a replica that was given no name. */
final class HostName {

  private HostName() {}

  static String ofThisProcess() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "unknown-host"; // a host that cannot resolve itself still runs tasks
    }
    return host + "-" + ProcessHandle.current().pid();
  }
}
