package dev.monotick.audit;

import java.time.Instant;
import java.util.Map;

/**
 * Something that was done.
 *
 * @param action what, as a word that never changes: {@code job_retry}
 * @param actor who; {@code system} for the engine itself
 * @param subject to what: {@code job/123}
 * @param details what else is known
 * @param at when, by the store's clock
 */
public record AuditEvent(
    String action, String actor, String subject, Map<String, String> details, Instant at) {

  /** The actor of what nobody in particular did. */
  public static final String SYSTEM = "system";

  /** Copies the details. */
  public AuditEvent {
    details = Map.copyOf(details);
  }
}
