package dev.monotick;

import dev.monotick.engine.ReplicaSettings;
import dev.monotick.leader.LeadershipMode;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code MONOTICK_*} variables; everything unknown or malformed is refused, except the
 * variables that Kubernetes injects into every pod beside a Service whose name begins with {@code
 * monotick}.
 */
final class Environment {

  static final String REPLICA_NAME = "MONOTICK_REPLICA_NAME";
  static final String LEADERSHIP = "MONOTICK_LEADERSHIP";
  static final String LEASE_DURATION = "MONOTICK_LEASE_DURATION";
  static final String LEASE_RENEW_INTERVAL = "MONOTICK_LEASE_RENEW_INTERVAL";
  static final String LEASE_RENEW_TIMEOUT = "MONOTICK_LEASE_RENEW_TIMEOUT";
  static final String LEASE_MARGIN = "MONOTICK_LEASE_MARGIN";

  private static final List<String> NAMES =
      List.of(
          REPLICA_NAME,
          LEADERSHIP,
          LEASE_DURATION,
          LEASE_RENEW_INTERVAL,
          LEASE_RENEW_TIMEOUT,
          LEASE_MARGIN);
  private static final Pattern TASK = Pattern.compile("MONOTICK_TASK_(.+)_(INTERVAL|TIMEOUT)");

  /** What Kubernetes injects for a Service, see "service links" of its pods. */
  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          "MONOTICK(_[A-Z0-9_]+)?(_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)"
              + "|_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");

  /** The value of {@code <SERVICE>_PORT}, the only one whose name does not tell. */
  private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

  private static final Pattern SIMPLE = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h|d)");

  private final Map<String, String> values = new HashMap<>();
  private final Map<String, Duration> intervals = new HashMap<>();
  private final Map<String, Duration> timeouts = new HashMap<>();

  Environment(Map<String, String> variables) {
    for (Map.Entry<String, String> entry : new TreeMap<>(variables).entrySet()) {
      String name = entry.getKey();
      if (!name.startsWith("MONOTICK_")) {
        continue;
      }
      Matcher task = TASK.matcher(name);
      if (task.matches()) {
        Map<String, Duration> target = task.group(2).equals("INTERVAL") ? intervals : timeouts;
        target.put(task.group(1), duration(name, entry.getValue()));
      } else if (NAMES.contains(name)) {
        values.put(name, entry.getValue());
      } else if (!isServiceLink(name, entry.getValue())) {
        throw new IllegalArgumentException(
            name // and not its value: it may be a secret of something else
                + " is not a setting of Monotick"
                + ReplicaSettings.suggestion(name, NAMES)
                + "; known are "
                + String.join(", ", NAMES)
                + ", MONOTICK_TASK_<NAME>_INTERVAL and MONOTICK_TASK_<NAME>_TIMEOUT");
      }
    }
  }

  private static boolean isServiceLink(String name, String value) {
    return SERVICE_LINK.matcher(name).matches()
        || (name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches());
  }

  Map<String, Duration> intervals() {
    return intervals;
  }

  Map<String, Duration> timeouts() {
    return timeouts;
  }

  @Nullable String text(String name) {
    return values.get(name);
  }

  @Nullable Duration duration(String name) {
    String value = values.get(name);
    return value == null ? null : duration(name, value);
  }

  @Nullable LeadershipMode leadership() {
    String value = values.get(LEADERSHIP);
    if (value == null) {
      return null;
    }
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "elected" -> LeadershipMode.ELECTED;
      case "single-replica" -> LeadershipMode.SINGLE_REPLICA;
      default ->
          throw new IllegalArgumentException(
              LEADERSHIP
                  + " must be elected or single-replica, but was \""
                  + value
                  + "\"; use one of them");
    };
  }

  /** Reads {@code 500ms, 90s, 5m, 2h, 1d} or an ISO-8601 duration. */
  static Duration duration(String name, String value) {
    Matcher simple = SIMPLE.matcher(value.trim());
    if (simple.matches()) {
      long amount = Long.parseLong(simple.group(1));
      return switch (simple.group(2)) {
        case "ms" -> Duration.ofMillis(amount);
        case "s" -> Duration.ofSeconds(amount);
        case "m" -> Duration.ofMinutes(amount);
        case "h" -> Duration.ofHours(amount);
        default -> Duration.ofDays(amount);
      };
    }
    try {
      return Duration.parse(value.trim());
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          name
              + " must be a duration, but was \""
              + value
              + "\"; write it like 500ms, 90s, 5m, 2h, 1d or PT1M30S",
          e);
    }
  }
}
