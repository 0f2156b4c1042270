package dev.monotick.schedule;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Finds zones by their IANA id. */
public final class Zones {

  private static final int MAX_LENGTH = 64;

  private Zones() {}

  /**
   * Returns the zone of that id, for example {@code Europe/Berlin}.
   *
   * @throws ScheduleSyntaxException if there is no such zone; the message names the nearest one
   */
  public static ZoneId of(String id) {
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
    return atLeast >= best ? atLeast : 2 * edits(wanted, known);
  }

  private static String normal(String id) {
    return id.strip().toLowerCase(Locale.ROOT).replace(' ', '_').replace('-', '_');
  }

  /** Levenshtein's distance. */
  private static int edits(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
