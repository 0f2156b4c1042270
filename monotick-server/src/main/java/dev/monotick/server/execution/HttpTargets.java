package dev.monotick.server.execution;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.web.Cidr;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What a URL that we call must look like; where it leads is found out when it is called. */
final class HttpTargets {

  private static final int LONGEST = 4_000;

  /** Addresses as C libraries also read them: 2130706433, 0x7f.1, 0177.0.0.1. */
  private static final Pattern NUMBERS =
      Pattern.compile("(0x[0-9a-f]*|[0-9]+)(\\.(0x[0-9a-f]*|[0-9]+))*\\.?");

  private HttpTargets() {}

  /** Refuses, under the field's name, what cannot be called. */
  static void require(String field, String url) {
    Optional<String> wrong = wrong(url);
    if (wrong.isPresent()) {
      throw Problem.invalid(
          field,
          field
              + " "
              + wrong.get()
              + ", but was \""
              + url.substring(0, Math.min(200, url.length()))
              + "\"");
    }
  }

  /** Returns what is wrong with a URL; empty if nothing is. */
  static Optional<String> wrong(String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      return Optional.of("must be http://… or https://…");
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    if (!Set.of("http", "https").contains(scheme) || uri.isOpaque()) {
      return Optional.of("must be http://… or https://…");
    }
    if (uri.getRawAuthority() != null && uri.getRawAuthority().indexOf('@') >= 0) {
      return Optional.of("must not have a user in it; give a header instead");
    }
    String host = uri.getHost();
    if (host == null || host.isEmpty() || host.indexOf('%') >= 0) {
      return Optional.of("must name a host, or an address in its usual form");
    }
    if (!Cidr.isLiteral(host) && NUMBERS.matcher(host.toLowerCase(Locale.ROOT)).matches()) {
      return Optional.of("must name a host, or an address as four decimal numbers");
    }
    if (uri.getPort() == 0 || uri.getPort() > 65_535 || url.length() > LONGEST) {
      return Optional.of("must have a port of 1 to 65535 and at most 4000 characters");
    }
    return Optional.empty();
  }

  /** Says whether both are the same service, so that what one is told the other may know. */
  static boolean sameOrigin(URI one, URI other) {
    return one.getScheme().equalsIgnoreCase(other.getScheme())
        && one.getHost().equalsIgnoreCase(other.getHost())
        && port(one) == port(other);
  }

  private static int port(URI uri) {
    if (uri.getPort() >= 0) {
      return uri.getPort();
    }
    return uri.getScheme().equalsIgnoreCase("https") ? 443 : 80;
  }
}
