package dev.monotick.server.agent;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an agent has: work, and the number of the lease by which it got it. Who got the work later
 * has a greater one, and from then on an older one is good for nothing.
 *
 * @param work the work's name
 * @param fence the number
 */
record AgentLease(UUID work, long fence) {

  /** Reads what {@link #toString} wrote. */
  static AgentLease parse(String field, @Nullable String text) {
    String given = RequestFields.required(field, text);
    int colon = given.indexOf(':');
    try {
      if (colon > 0) {
        return new AgentLease(
            UUID.fromString(given.substring(0, colon)), Long.parseLong(given.substring(colon + 1)));
      }
    } catch (IllegalArgumentException e) {
      // told below
    }
    throw Problem.invalid(field, field + " must be a lease as poll gave it");
  }

  @Override
  public String toString() {
    return work + ":" + fence;
  }
}
