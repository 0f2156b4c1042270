package dev.monotick.chaos.storm;

import dev.monotick.chaos.cluster.EmbeddedServer;
import dev.monotick.chaos.cluster.Namespaces;
import dev.monotick.chaos.cluster.ReplicaEnvironment;
import dev.monotick.chaos.network.FaultProxy;
import dev.monotick.chaos.network.ProxyBehaviour;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The network between workers and their server. Where packets can be dropped, each worker lives in
 * a network namespace and reaches the server itself, without a proxy, through a router that can be
 * made a black hole: the kernels of both sides send again what was lost. What handlers write down
 * goes by another way, which is never cut. One thread.
 */
final class StormNetwork implements AutoCloseable {

  private final EmbeddedServer server;
  private final @Nullable Namespaces namespaces;
  private final Map<String, FaultProxy> logs = new HashMap<>();

  private StormNetwork(EmbeddedServer server, @Nullable Namespaces namespaces) {
    this.server = server;
    this.namespaces = namespaces;
  }

  /** Returns why packets cannot be dropped on this machine; empty if they can. */
  static Optional<String> obstacle() {
    return Namespaces.obstacle();
  }

  /** Returns a network that loses nothing. */
  static StormNetwork plain(EmbeddedServer server) {
    return new StormNetwork(server, null);
  }

  /** Makes a network that can lose packets, for workers at so many places. */
  static StormNetwork lossy(EmbeddedServer server, int places) {
    String[] names = new String[places];
    for (int place = 0; place < places; place++) {
      names[place] = name(place);
    }
    Namespaces namespaces = Namespaces.create(names);
    StormNetwork network = new StormNetwork(server, namespaces);
    try {
      server.admit(Namespaces.NETWORK);
      namespaces.routeLoopback();
      for (String name : names) {
        InetAddress direct = namespaces.of(name).sink();
        network.logs.put(name, new FaultProxy(direct, server::address));
      }
      return network;
    } catch (RuntimeException e) {
      network.close();
      throw e;
    }
  }

  /** Returns whether packets can be dropped. */
  boolean isLossy() {
    return namespaces != null;
  }

  /** Returns the command that starts a process at a place. */
  List<String> wrapper(int place) {
    return environment(place).wrapper();
  }

  /** Returns the JDBC URL of the database, as reached from a place by the way that may be cut. */
  String url(int place) {
    InetAddress address = environment(place).database();
    return server.url(address.getHostAddress(), server.address().getPort());
  }

  /** Returns the JDBC URL of the database, as reached from a place by the way that is never cut. */
  String logUrl(int place) {
    FaultProxy log = logs.get(name(place));
    return log == null
        ? url(place)
        : server.url(environment(place).sink().getHostAddress(), log.port());
  }

  /** Drops all packets between a place and the server, or none. */
  void drop(int place, boolean dropping) {
    if (namespaces == null) {
      throw new IllegalStateException("no packets can be dropped here");
    }
    namespaces.set(name(place), dropping ? ProxyBehaviour.CUT_BOTH_WAYS : ProxyBehaviour.PASSING);
  }

  private ReplicaEnvironment environment(int place) {
    return namespaces == null ? ReplicaEnvironment.plain() : namespaces.of(name(place));
  }

  private static String name(int place) {
    return "w" + (place + 1);
  }

  @Override
  public void close() {
    logs.values().forEach(FaultProxy::close);
    if (namespaces != null) {
      namespaces.close();
    }
  }
}
