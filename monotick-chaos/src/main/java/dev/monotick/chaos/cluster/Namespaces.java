package dev.monotick.chaos.cluster;

import dev.monotick.chaos.network.ProxyBehaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A network namespace for each replica, joined to this machine in two ways: through a router, by
 * which it reaches the database, and directly, by which it reaches the sink. The router's routes
 * can be turned into black holes: packets vanish, in one direction or both, and the kernel's own
 * TCP is left alone with that.
 *
 * <p>Needs root and the program {@code ip}.
 */
public final class Namespaces implements AutoCloseable {

  /** All addresses used here: meant for tests of networks (RFC 2544). */
  public static final String NETWORK = "198.18.0.0/15";

  private static final String LOOPBACK = "127.0.0.1";

  private static final long PID = ProcessHandle.current().pid();
  private static final Pattern OURS = Pattern.compile("mtk-([0-9]+)-.*");

  private final List<String> places;
  private final Deque<String> undo = new ArrayDeque<>();
  private final Thread undoAtExit = new Thread(this::undo, "namespaces");

  private boolean loopbackRouted;

  private Namespaces(List<String> places) {
    this.places = places;
  }

  /** Says why there can be none on this machine; empty if there can. */
  public static Optional<String> obstacle() {
    String name = "mtk-" + PID + "-probe";
    String device = "mtk" + PID + "p";
    Optional<String> refused =
        run(
            "ip netns add "
                + name
                + " && ip netns exec "
                + name
                + " sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward' && ip link add "
                + device
                + " type veth peer name "
                + device
                + "x && ip link del "
                + device);
    run("ip netns del " + name);
    return refused;
  }

  /** Makes a namespace for each place. */
  public static Namespaces create(String... places) {
    removeOfTheDead();
    Namespaces made = new Namespaces(List.of(places));
    Runtime.getRuntime().addShutdownHook(made.undoAtExit);
    try {
      for (String place : places) {
        made.create(place);
      }
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /**
   * Returns how a process of that place is started, and by which addresses it sees this machine.
   */
  public ReplicaEnvironment of(String place) {
    return new ReplicaEnvironment(
        List.of("ip", "netns", "exec", replica(place)),
        Map.of(),
        parse(target(place)),
        parse(hostDirect(place)));
  }

  /**
   * Has all places reach this machine's 127.0.0.1 through their routers, instead of their own: so a
   * server that listens there and nowhere else is at the other end of the wire, without a proxy
   * that would acknowledge packets in its place.
   */
  public void routeLoopback() {
    for (String place : places) {
      String replica = replica(place);
      String router = router(place);
      must("ip -n " + replica + " address del " + LOOPBACK + "/8 dev lo");
      allowLoopback("ip netns exec " + replica + " ", "db");
      allowLoopback("ip netns exec " + router + " ", "downlink");
      allowLoopback("ip netns exec " + router + " ", "uplink");
      allowLoopback("", device(place, "h"));
      must("ip -n " + replica + " route add " + LOOPBACK + "/32 via " + address(place, 1, 1));
      must(
          "ip -n "
              + router
              + " route add "
              + LOOPBACK
              + "/32 via "
              + hostBehindRouter(place)
              + " metric 100"); // weaker than a black hole
    }
    loopbackRouted = true;
  }

  private static void allowLoopback(String where, String device) {
    must(where + "sh -c 'echo 1 > /proc/sys/net/ipv4/conf/" + device + "/route_localnet'");
  }

  /** Returns the address by which a place reaches this machine through its router. */
  private String target(String place) {
    return loopbackRouted ? LOOPBACK : hostBehindRouter(place);
  }

  /** Breaks or heals the way between a place and this machine that leads through the router. */
  public void set(String place, ProxyBehaviour link) {
    // A route to one address is stronger than that to its network.
    boolean requests = link == ProxyBehaviour.PASSING || link == ProxyBehaviour.CUT_REPLIES;
    boolean replies = link == ProxyBehaviour.PASSING || link == ProxyBehaviour.CUT_REQUESTS;
    blackhole(place, target(place), !requests);
    blackhole(place, replicaBehindRouter(place), !replies);
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(undoAtExit);
    undo();
  }

  private synchronized void undo() {
    while (!undo.isEmpty()) {
      run(undo.pop());
    }
  }

  /** What a process left behind that was killed. */
  private static void removeOfTheDead() {
    for (String line : output("ip netns list").lines().toList()) {
      String name = line.split(" ", -1)[0];
      Matcher ours = OURS.matcher(name);
      if (ours.matches() && ProcessHandle.of(Long.parseLong(ours.group(1))).isEmpty()) {
        run("ip netns del " + name); // its links go with it
      }
    }
  }

  private void blackhole(String place, String address, boolean wanted) {
    String route = "ip -n " + router(place) + " route ";
    run(route + "del blackhole " + address + "/32");
    if (wanted) {
      must(route + "add blackhole " + address + "/32");
    }
  }

  private void create(String place) {
    String replica = replica(place);
    String router = router(place);
    add("ip netns add " + replica, "ip netns del " + replica);
    add("ip netns add " + router, "ip netns del " + router);
    must("ip -n " + replica + " link set lo up");
    // this machine -- router -- replica
    link("", device(place, "h"), hostBehindRouter(place), router, "uplink", address(place, 0, 2));
    link(router, "downlink", address(place, 1, 1), replica, "db", replicaBehindRouter(place));
    must("ip netns exec " + router + " sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'");
    must("ip -n " + replica + " route add " + net(place, 0) + " via " + address(place, 1, 1));
    add(
        "ip route add " + net(place, 1) + " via " + address(place, 0, 2),
        "ip route del " + net(place, 1));
    // this machine -- replica
    link("", device(place, "s"), hostDirect(place), replica, "sink", address(place, 2, 2));
  }

  private void link(
      String oneSpace, String one, String oneAddress, String two, String other, String address) {
    String temporary = one + "x";
    String left = oneSpace.isEmpty() ? "ip " : "ip -n " + oneSpace + " ";
    String undoing = oneSpace.isEmpty() ? "ip link del " + one : "true";
    add(left + "link add " + one + " type veth peer name " + temporary, undoing);
    must(left + "link set " + temporary + " netns " + two);
    must("ip -n " + two + " link set " + temporary + " name " + other);
    must(left + "address add " + oneAddress + "/30 dev " + one);
    must("ip -n " + two + " address add " + address + "/30 dev " + other);
    must(left + "link set " + one + " up");
    must("ip -n " + two + " link set " + other + " up");
  }

  private String replica(String place) {
    return "mtk-" + PID + "-" + place;
  }

  private String router(String place) {
    return "mtk-" + PID + "-router-" + place;
  }

  /** Names of devices are short. */
  private String device(String place, String what) {
    return "mtk" + PID + what + places.indexOf(place);
  }

  private String hostBehindRouter(String place) {
    return address(place, 0, 1);
  }

  private String replicaBehindRouter(String place) {
    return address(place, 1, 2);
  }

  private String hostDirect(String place) {
    return address(place, 2, 1);
  }

  private String net(String place, int link) {
    return address(place, link, 0) + "/30";
  }

  /**
   * Returns an address of {@link #NETWORK}. Processes that test at the same time use other ones.
   * There are enough for 21 places.
   */
  private String address(String place, int link, int host) {
    int number = (int) (PID % 512) * 256 + (places.indexOf(place) * 3 + link) * 4 + host;
    return "198." + (18 + (number >> 16)) + "." + (number >> 8 & 255) + "." + (number & 255);
  }

  private void add(String command, String undoing) {
    must(command);
    undo.push(undoing);
  }

  private static void must(String command) {
    run(command)
        .ifPresent(
            failure -> {
              throw new IllegalStateException(command + ": " + failure);
            });
  }

  /** Runs a command; returns why it failed, empty if it did not. */
  private static Optional<String> run(String command) {
    String output = output(command + " || echo failed");
    return output.endsWith("failed") ? Optional.of(output) : Optional.empty();
  }

  /** Runs a command; returns what it said. */
  private static String output(String command) {
    try {
      Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return output.strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static InetAddress parse(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
