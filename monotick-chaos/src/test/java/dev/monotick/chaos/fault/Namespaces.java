package dev.monotick.chaos.fault;

import dev.monotick.chaos.cluster.Surroundings;
import dev.monotick.chaos.network.Link;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace for each replica, joined to this machine in two ways: through a router, by
 * which it reaches the database, and directly, by which it reaches the sink. The router's routes
 * can be turned into black holes: packets vanish, in one direction or both, and the kernel's own
 * TCP is left alone with that.
 *
 * <p>Needs root and the program {@code ip}.
 */
final class Namespaces implements AutoCloseable {

  private final String prefix = "mtk" + ProcessHandle.current().pid();
  private final List<String> places;
  private final Deque<String> undo = new ArrayDeque<>();

  private Namespaces(List<String> places) {
    this.places = places;
  }

  /** Says why there can be none on this machine; empty if there can. */
  static Optional<String> obstacle() {
    String name = "mtk" + ProcessHandle.current().pid() + "probe";
    Optional<String> refused = run("ip netns add " + name);
    run("ip netns del " + name);
    return refused;
  }

  /** Makes a namespace for each place. */
  static Namespaces create(String... places) {
    Namespaces made = new Namespaces(List.of(places));
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
  Surroundings of(String place) {
    return new Surroundings(
        List.of("ip", "netns", "exec", replica(place)),
        Map.of(),
        address(hostBehindRouter(place)),
        address(hostDirect(place)));
  }

  /** Breaks or heals the way between a place and this machine that leads through the router. */
  void set(String place, Link link) {
    // A route to one address is stronger than that to its network.
    boolean requests = link == Link.PASSING || link == Link.CUT_REPLIES;
    boolean replies = link == Link.PASSING || link == Link.CUT_REQUESTS;
    blackhole(place, hostBehindRouter(place), !requests);
    blackhole(place, replicaBehindRouter(place), !replies);
  }

  @Override
  public void close() {
    while (!undo.isEmpty()) {
      run(undo.pop());
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
    link("", name(place, "h"), hostBehindRouter(place), router, "uplink", net(place, 0) + ".2");
    link(router, "downlink", net(place, 1) + ".1", replica, "db", replicaBehindRouter(place));
    must("ip netns exec " + router + " sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'");
    must("ip -n " + replica + " route add " + net(place, 0) + ".0/24 via " + net(place, 1) + ".1");
    add(
        "ip route add " + net(place, 1) + ".0/24 via " + net(place, 0) + ".2",
        "ip route del " + net(place, 1) + ".0/24");
    // this machine -- replica
    link("", name(place, "s"), hostDirect(place), replica, "sink", net(place, 2) + ".2");
  }

  private void link(
      String oneSpace, String one, String oneAddress, String two, String other, String address) {
    String temporary = one + "x";
    String left = oneSpace.isEmpty() ? "ip " : "ip -n " + oneSpace + " ";
    String undoing = oneSpace.isEmpty() ? "ip link del " + one : "true";
    add(left + "link add " + one + " type veth peer name " + temporary, undoing);
    must(left + "link set " + temporary + " netns " + two);
    must("ip -n " + two + " link set " + temporary + " name " + other);
    must(left + "address add " + oneAddress + "/24 dev " + one);
    must("ip -n " + two + " address add " + address + "/24 dev " + other);
    must(left + "link set " + one + " up");
    must("ip -n " + two + " link set " + other + " up");
  }

  private String replica(String place) {
    return name(place, "");
  }

  private String router(String place) {
    return name(place, "r");
  }

  private String name(String place, String what) {
    return prefix + what + places.indexOf(place);
  }

  private String hostBehindRouter(String place) {
    return net(place, 0) + ".1";
  }

  private String replicaBehindRouter(String place) {
    return net(place, 1) + ".2";
  }

  private String hostDirect(String place) {
    return net(place, 2) + ".1";
  }

  /** Networks meant for tests of networks: 198.18.0.0/15, RFC 2544. */
  private String net(String place, int link) {
    return "198.18." + (places.indexOf(place) * 3 + link + 1);
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
    try {
      List<String> shell = new ArrayList<>(List.of("sh", "-c", command));
      Process process = new ProcessBuilder(shell).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean done = process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
      return done ? Optional.empty() : Optional.of(output.strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
