package dev.monotick.server.ratelimit;

import java.util.Locale;

/** What kind of request it is. */
enum RouteClass {
  /** Looks. */
  READ,
  /** Changes or removes what is there. */
  WRITE,
  /** Adds or triggers something. */
  CREATE;

  static RouteClass of(String method) {
    return switch (method) {
      case "GET", "HEAD", "OPTIONS" -> READ;
      case "POST" -> CREATE;
      default -> WRITE;
    };
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
