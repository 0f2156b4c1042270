package dev.monotick.schedule;

import dev.monotick.schedule.internal.EditDistance;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Finds zones by their IANA id. */
final class Zones {

  private static final int MAX_LENGTH = 64;

  private Zones() {}

  /**
   * Returns the zone of that id, for example {@code Europe/Berlin}.
   *
   * @throws ScheduleSyntaxException if there is no such zone; the message names the nearest one
   */
  static ZoneId of(String id) {
    try {
      return ZoneId.of(id);
    } catch (DateTimeException unknown) {
      String hint = nearest(id).map(zone -> "; did you mean " + zone + "?").orElse("");
      ScheduleSyntaxException refusal =
          new ScheduleSyntaxException(
              id,
              "zone",
              0,
              "there is no time zone of that name" + hint,
              "zone allows IANA ids such as Europe/Berlin or UTC, and offsets such as +02:00");
      refusal.initCause(unknown);
      throw refusal;
    }
  }

  private static Optional<String> nearest(String id) {
    if (id.isBlank() || id.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String wanted = normal(id);
    int best = Integer.MAX_VALUE;
    String nearest = "";
    for (String zone : new TreeSet<>(ZoneId.getAvailableZoneIds())) {
      String known = normal(zone);
      String city = known.substring(known.lastIndexOf('/') + 1);
      // To have only the city right is a little further away than the whole id.
      int distance = Math.min(distance(wanted, known, best), distance(wanted, city, best - 1) + 1);
      if (distance < best) {
        best = distance;
        nearest = zone;
      }
    }
    return Optional.of(nearest);
  }

  /** Twice the number of edits; anything not below {@code best} if that can't be reached. */
  private static int distance(String wanted, String known, int best) {
    int atLeast = 2 * Math.abs(wanted.length() - known.length());
    return atLeast >= best ? atLeast : 2 * EditDistance.between(wanted, known);
  }

  private static String normal(String id) {
    return id.strip().toLowerCase(Locale.ROOT).replace(' ', '_').replace('-', '_');
  }
}
