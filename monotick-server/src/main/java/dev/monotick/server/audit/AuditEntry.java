package dev.monotick.server.audit;

import dev.monotick.server.access.Caller;
import java.util.Map;
import java.util.TreeMap;

/**
 * Something that was done, to be recorded.
 *
 * @param tenant whose; empty for the whole installation
 * @param actor who; {@code system} for the server itself
 * @param actorType KEY, USER, AGENT or SYSTEM
 * @param action what, as a word that never changes: {@code schedule_created}
 * @param subject to what: {@code schedule/0b9f…}
 * @param detail what else is known; no secrets
 */
public record AuditEntry(
    String tenant,
    String actor,
    String actorType,
    String action,
    String subject,
    Map<String, Object> detail) {

  /** The tenant of what concerns the whole installation. */
  public static final String INSTALLATION = "";

  /** Sorts the details, which are part of the hash. */
  public AuditEntry {
    detail = new TreeMap<>(detail);
  }

  /** Something that a caller did. */
  public static AuditEntry by(
      Caller caller, String action, String subject, Map<String, Object> detail) {
    return new AuditEntry(caller.tenant(), caller.name(), caller.type(), action, subject, detail);
  }

  /** Something that the server did. */
  public static AuditEntry bySystem(
      String tenant, String action, String subject, Map<String, Object> detail) {
    return new AuditEntry(tenant, "system", "SYSTEM", action, subject, detail);
  }

  /** Returns the same of a tenant. */
  AuditEntry of(String other) {
    return new AuditEntry(other, actor, actorType, action, subject, detail);
  }
}
