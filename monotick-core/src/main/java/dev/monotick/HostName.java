package dev.monotick;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

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
    // In containers the host name may be fixed and the process id is 1, so neither is unique.
    int suffix = ThreadLocalRandom.current().nextInt(0x10000);
    return host + "-" + ProcessHandle.current().pid() + String.format("-%04x", suffix);
  }
}
