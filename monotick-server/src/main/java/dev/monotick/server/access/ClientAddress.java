package dev.monotick.server.access;

import jakarta.servlet.http.HttpServletRequest;

/** Where a request comes from. */
final class ClientAddress {

  private static final int PREFIX_GROUPS = 4;

  private ClientAddress() {}

  /** Returns the address; of IPv6 the network, since a host has a whole one to itself. */
  static String of(HttpServletRequest request) {
    String address = String.valueOf(request.getRemoteAddr());
    if (!address.contains(":")) {
      return address;
    }
    String[] groups = address.split("%", -1)[0].split(":", -1);
    StringBuilder network = new StringBuilder();
    for (int i = 0; i < Math.min(PREFIX_GROUPS, groups.length); i++) {
      network.append(groups[i]).append(':');
    }
    return network.append(":/64").toString();
  }
}
