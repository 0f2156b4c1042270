package dev.monotick.server.execution;

import dev.monotick.server.web.Cidr;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Keeps calls that tenants ask for out of the operator's own network. A name is looked up once, all
 * its addresses are checked, and the connection goes to one of these very addresses: a second
 * lookup, which might answer otherwise, never happens. Thread-safe.
 *
 * <p>Only addresses of the public internet pass. Others do if the operator lists them, or allows
 * private ones altogether; but what serves credentials to whoever asks (the metadata services of
 * clouds), and what is no address of one machine, then still needs to be listed.
 */
final class AddressGuard {

  /** Looks up names. */
  @FunctionalInterface
  interface Names {

    /** Returns the addresses of a name. */
    InetAddress[] lookUp(String host) throws UnknownHostException;
  }

  /** A call that is not made. */
  static final class RefusedException extends UnknownHostException {

    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  private static final List<Cidr> NEVER =
      ranges(
          "0.0.0.0/8",
          "224.0.0.0/4",
          "240.0.0.0/4",
          "::/128",
          "ff00::/8",
          // metadata services: AWS and most others, Azure, Alibaba, AWS over IPv6
          "169.254.169.254",
          "169.254.170.2",
          "168.63.129.16",
          "100.100.100.200",
          "fd00:ec2::254");

  private static final List<Cidr> PRIVATE =
      ranges(
          "10.0.0.0/8",
          "100.64.0.0/10", // between carriers and their customers
          "127.0.0.0/8",
          "169.254.0.0/16",
          "172.16.0.0/12",
          "192.0.0.0/24",
          "192.0.2.0/24",
          "192.88.99.0/24",
          "192.168.0.0/16",
          "198.18.0.0/15",
          "198.51.100.0/24",
          "203.0.113.0/24",
          "::1/128",
          "64:ff9b:1::/48", // NAT64 of somebody's own
          "100::/64",
          "2001::/23", // Teredo and other protocols
          "2001:db8::/32",
          "3fff::/20",
          "5f00::/16",
          "fc00::/7",
          "fe80::/10",
          "fec0::/10");

  private static final Cidr NAT64 = Cidr.parse("64:ff9b::/96");
  private static final Cidr SIX_TO_FOUR = Cidr.parse("2002::/16");
  private static final Cidr COMPATIBLE = Cidr.parse("::/96");

  private final Names names;
  private final boolean allowPrivate;
  private final List<String> allowedHosts = new ArrayList<>();
  private final List<Cidr> allowedRanges = new ArrayList<>();

  /**
   * Creates one.
   *
   * @param allowed hosts, {@code *.domain}s, addresses and ranges, with commas between them
   */
  AddressGuard(Names names, boolean allowPrivate, String allowed) {
    this.names = names;
    this.allowPrivate = allowPrivate;
    for (String each : allowed.split(",", -1)) {
      String entry = each.strip().toLowerCase(Locale.ROOT);
      if (entry.indexOf('/') >= 0 || Cidr.isLiteral(entry)) {
        allowedRanges.add(range(entry));
      } else if (!entry.isEmpty()) {
        allowedHosts.add(entry);
      }
    }
  }

  private static Cidr range(String entry) {
    try {
      return Cidr.parse(entry);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("MONOTICK_HTTP_ALLOW: a range " + e.getMessage(), e);
    }
  }

  private static List<Cidr> ranges(String... texts) {
    return Arrays.stream(texts).map(Cidr::parse).toList();
  }

  /**
   * Returns the addresses of a host, all of which may be called.
   *
   * @throws RefusedException if one of them may not: an answer that mixes them is no honest one
   */
  List<InetAddress> resolve(String host) throws UnknownHostException {
    String name = host.toLowerCase(Locale.ROOT);
    if (name.startsWith("[") && name.endsWith("]")) {
      name = name.substring(1, name.length() - 1);
    }
    InetAddress[] found =
        Cidr.isLiteral(name) ? new InetAddress[] {literal(name)} : names.lookUp(host);
    boolean listed = isListed(name);
    for (InetAddress address : found) {
      Optional<String> reason = listed ? Optional.empty() : reason(address);
      if (reason.isPresent()) {
        throw new RefusedException(
            "calls to "
                + host
                + " are refused: "
                + address.getHostAddress()
                + " is "
                + reason.get()
                + "; an operator may allow it by MONOTICK_HTTP_ALLOW");
      }
    }
    return List.of(found);
  }

  private static InetAddress literal(String name) throws UnknownHostException {
    try {
      return Cidr.literal(name);
    } catch (IllegalArgumentException e) {
      throw new RefusedException("\"" + name + "\" is no address");
    }
  }

  private boolean isListed(String name) {
    return allowedHosts.stream()
        .anyMatch(
            each -> each.startsWith("*.") ? name.endsWith(each.substring(1)) : name.equals(each));
  }

  /** Returns why an address may not be called; empty if it may. */
  private Optional<String> reason(InetAddress address) {
    if (contains(allowedRanges, address)) {
      return Optional.empty();
    }
    if (contains(NEVER, address)) {
      return Optional.of("a metadata service, or no address of one machine");
    }
    Optional<InetAddress> inner = embedded(address);
    if (inner.isPresent()) {
      return reason(inner.get());
    }
    return !allowPrivate && contains(PRIVATE, address)
        ? Optional.of("not on the public internet")
        : Optional.empty();
  }

  private static boolean contains(List<Cidr> ranges, InetAddress address) {
    return ranges.stream().anyMatch(each -> each.contains(address));
  }

  /** Returns the IPv4 address that an IPv6 one leads to; Java unwraps ::ffff:0:0/96 by itself. */
  private static Optional<InetAddress> embedded(InetAddress address) {
    if (!(address instanceof Inet6Address) || address.isLoopbackAddress()) {
      return Optional.empty();
    }
    byte[] bytes = address.getAddress();
    int from = NAT64.contains(address) || COMPATIBLE.contains(address) ? 12 : 2;
    if (from == 2 && !SIX_TO_FOUR.contains(address)) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + 4)));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }
}
