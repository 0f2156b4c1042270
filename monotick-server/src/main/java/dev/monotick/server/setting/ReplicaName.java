package dev.monotick.server.setting;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/** What this replica is called in logs, traces, and by the others. */
public final class ReplicaName {

  /** In containers the host name may be fixed and the process id is 1, so neither is unique. */
  private static final String SUFFIX = randomSuffix();

  private ReplicaName() {}

  /** Returns the name that was set; else host, process and a random suffix. */
  public static String of(ServerSettings settings) {
    String given = settings.get(SettingCatalog.REPLICA_NAME);
    return given.isEmpty() ? host() + "-" + ProcessHandle.current().pid() + SUFFIX : given;
  }

  static String randomSuffix() {
    return String.format("-%04x", ThreadLocalRandom.current().nextInt(0x10000));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host"; // a host that cannot resolve itself still serves
    }
  }
}
