package dev.monotick.chaos.cluster;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/**
 * Where a replica lives.
 *
 * @param wrapper a command that starts it there, or empty
 * @param environment variables it gets
 * @param database the address by which it reaches this machine's proxies to the database
 * @param sink the address by which it reaches the sink
 */
public record ReplicaEnvironment(
    List<String> wrapper, Map<String, String> environment, InetAddress database, InetAddress sink) {

  /** Copies list and map. */
  public ReplicaEnvironment {
    wrapper = List.copyOf(wrapper);
    environment = Map.copyOf(environment);
  }

  /** Returns those of this process. */
  public static ReplicaEnvironment plain() {
    return with(Map.of());
  }

  /** Returns those of this process, with further variables. */
  public static ReplicaEnvironment with(Map<String, String> environment) {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    return new ReplicaEnvironment(List.of(), environment, loopback, loopback);
  }
}
