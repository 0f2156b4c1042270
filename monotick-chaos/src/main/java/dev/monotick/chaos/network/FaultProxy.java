package dev.monotick.chaos.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The network between one replica and its database, and a bad one when asked. Thread-safe.
 *
 * <p>A cut is silent, as that of a real network: nobody gets an error, and connections stay. When
 * it is healed, everything that was sent in between arrives, late and in order, also on connections
 * whose sender has hung up since; this is what TCP does when packets come through again, and it is
 * the worst that can happen to a lease: an old renewal that arrives after the takeover.
 */
public final class FaultProxy implements AutoCloseable {

  private final ServerSocket server;
  private final Supplier<InetSocketAddress> target;
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private final TrafficSwitch requests = new TrafficSwitch();
  private final TrafficSwitch replies = new TrafficSwitch();
  private volatile @Nullable CommitInterceptor trap;
  private volatile Duration replyDelay = Duration.ZERO;
  private volatile boolean closed;

  /**
   * Opens a proxy on a free port of this machine's loopback address.
   *
   * @param target where the server is, asked for every connection
   */
  public static FaultProxy to(Supplier<InetSocketAddress> target) {
    return new FaultProxy(InetAddress.getLoopbackAddress(), target);
  }

  /** Opens a proxy on a free port of an address of this machine. */
  public FaultProxy(InetAddress address, Supplier<InetSocketAddress> target) {
    this.target = target;
    try {
      this.server = new ServerSocket(0, 200, address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon("proxy-accept", this::accept).start();
  }

  /** Returns the port to connect to. */
  public int port() {
    return server.getLocalPort();
  }

  /** Breaks the network, or heals it. */
  public void set(ProxyBehaviour link) {
    requests.set(link.requestsPass);
    replies.set(link.repliesPass);
  }

  /** Holds up each piece of what the server sends for that long. */
  public void delayReplies(Duration delay) {
    replyDelay = delay;
  }

  Duration replyDelay() {
    return replyDelay;
  }

  /** Returns the ports by which the server knows the connections that are open. */
  public List<Integer> serverPorts() {
    return connections.stream().map(ProxiedConnection::serverPort).sorted().toList();
  }

  /**
   * Holds up all that is sent on the connections that are open now, in both directions, until
   * {@link #release}; others are not affected. TCP waits long before it sends lost packets again,
   * so new connections come through earlier than what was sent on old ones.
   */
  public void strand() {
    connections.forEach(connection -> connection.strand(true));
  }

  /** Lets through what was held up by {@link #strand}. */
  public void release() {
    connections.forEach(connection -> connection.strand(false));
  }

  /** Resets all connections that are open. */
  public void reset() {
    connections.forEach(ProxiedConnection::reset);
  }

  /**
   * Cuts connections during COMMIT, in turn after the server has committed (and before the client
   * hears of it) and before the server has seen it.
   *
   * @param transactions which transactions, by their statements in lower case
   * @param most how many
   */
  public void cutAtCommit(Predicate<List<String>> transactions, int most) {
    trap = new CommitInterceptor(transactions, most);
  }

  /** Lets all commits through again. */
  public void cutNoCommit() {
    trap = null;
  }

  /** Returns how many connections were cut at COMMIT since it was last asked for. */
  public int cutAtCommit() {
    CommitInterceptor current = trap;
    return current == null ? 0 : current.sprung();
  }

  @Override
  public void close() {
    closed = true;
    try {
      server.close();
    } catch (IOException e) {
      // It is not used any more.
    }
    requests.remove();
    replies.remove();
    connections.forEach(ProxiedConnection::abandon);
    reset();
  }

  TrafficSwitch requests() {
    return requests;
  }

  TrafficSwitch replies() {
    return replies;
  }

  /** Returns how the connection of a transaction that commits is to be cut, or null. */
  @Nullable CommitCut cutFor(List<String> transaction) {
    CommitInterceptor current = trap;
    return current == null ? null : current.spring(transaction);
  }

  void ended(ProxiedConnection connection) {
    connections.remove(connection);
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = server.accept();
        daemon("proxy-connect", () -> connect(client)).start();
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  /** A connection attempt is a request, too: it waits until the network lets it through. */
  private void connect(Socket client) {
    Socket upstream = new Socket();
    try {
      if (!requests.pass()) {
        client.close();
        return;
      }
      upstream.connect(target.get(), 5_000);
      upstream.setTcpNoDelay(true);
      client.setTcpNoDelay(true);
    } catch (IOException e) {
      ProxiedConnection.reset(client); // refused, as if there were no proxy
      ProxiedConnection.reset(upstream);
      return;
    }
    ProxiedConnection connection = new ProxiedConnection(this, client, upstream);
    connections.add(connection);
    daemon("proxy-replies", connection::pumpReplies).start();
    connection.pumpRequests();
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }
}
