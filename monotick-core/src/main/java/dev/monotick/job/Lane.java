package dev.monotick.job;

import static java.util.Objects.requireNonNull;

/**
 * Which jobs a job stands in line with: those of one lane run in the order in which they came.
 * Between lanes it is decided by weight, not by order.
 *
 * @param queue name of the queue
 * @param kind name of the kind
 * @param tenant whose it is, empty for nobody's
 * @param priority from 0, the most urgent, to {@value #LOWEST_PRIORITY}
 */
public record Lane(String queue, String kind, String tenant, int priority) {

  /** The priority of what can wait. */
  public static final int LOWEST_PRIORITY = 9;

  private static final int LONGEST_NAME = 100;

  /** Refuses names and priorities that cannot be. */
  public Lane {
    requireName("queue", queue);
    requireName("kind", kind);
    if (!requireNonNull(tenant, "tenant").isEmpty()) {
      requireName("tenant", tenant);
    }
    if (priority < 0 || priority > LOWEST_PRIORITY) {
      throw new IllegalArgumentException(
          "priority must be between 0 (the most urgent) and "
              + LOWEST_PRIORITY
              + ", but was "
              + priority);
    }
  }

  static String requireName(String field, String name) {
    if (!isName(requireNonNull(name, field))) {
      throw new IllegalArgumentException(
          field
              + " must be 1 to 100 letters, digits and ._- and begin with a letter or digit, but was"
              + " \""
              + (name.length() > 120 ? name.substring(0, 120) + "..." : name)
              + "\"");
    }
    return name;
  }

  private static boolean isPlain(char each) {
    return (each >= 'a' && each <= 'z')
        || (each >= 'A' && each <= 'Z')
        || (each >= '0' && each <= '9');
  }

  /** Without a pattern, since each job that is read goes through here three times. */
  private static boolean isName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char each = name.charAt(i);
      if (!isPlain(each) && (i == 0 || ".-_".indexOf(each) < 0)) {
        return false;
      }
    }
    return !name.isEmpty() && name.length() <= LONGEST_NAME;
  }
}
