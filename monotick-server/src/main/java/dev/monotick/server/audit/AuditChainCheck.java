package dev.monotick.server.audit;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows a chain, event by event, and stops at the first that cannot be the next one. Used on rows
 * of the database and on lines of an export alike. Not thread-safe.
 */
final class AuditChainCheck {

  private final String tenant;
  private final Map<Long, String> known;
  private AuditChainPosition end;
  private long checked;
  private @Nullable Break broken;

  /**
   * Where a chain is broken.
   *
   * @param seq the first number that is not as it must be
   * @param reason what is wrong with it
   */
  record Break(long seq, String reason) {}

  AuditChainCheck(String tenant, AuditChainPosition from) {
    this(tenant, from, Map.of());
  }

  /** Also demands that events have the hash that is known of their number from elsewhere. */
  AuditChainCheck(String tenant, AuditChainPosition from, Map<Long, String> known) {
    this.tenant = tenant;
    this.end = from;
    this.known = Map.copyOf(known);
  }

  /** Looks at the next event; false once the chain is broken. */
  boolean next(AuditRecord event) {
    if (broken == null) {
      broken = wrong(event);
    }
    if (broken != null) {
      return false;
    }
    end = event.end();
    checked++;
    return true;
  }

  private @Nullable Break wrong(AuditRecord event) {
    long wanted = end.seq() + 1;
    if (!event.tenant().equals(tenant)) {
      return new Break(wanted, "event " + event.seq() + " is of another chain");
    }
    if (event.seq() > wanted) {
      return new Break(wanted, "missing: after " + end.seq() + " comes " + event.seq());
    }
    if (event.seq() < wanted) {
      return new Break(event.seq(), "comes after " + end.seq() + ": a fork, or out of order");
    }
    if (!event.previous().equals(end.hash())) {
      return new Break(wanted, "is not linked to event " + end.seq());
    }
    if (!event.computed().equals(event.hash())) {
      return new Break(wanted, "was changed: its hash is not that of its values");
    }
    if (!known.getOrDefault(wanted, event.hash()).equals(event.hash())) {
      return new Break(wanted, "is not the event that was there: the chain was written anew");
    }
    return null;
  }

  /** Says that the chain should end here. */
  void ends(AuditChainPosition expected) {
    if (broken != null) {
      return;
    }
    if (expected.seq() > end.seq()) {
      broken = new Break(end.seq() + 1, "missing: the chain goes on to " + expected.seq());
    } else if (expected.seq() < end.seq()) {
      broken = new Break(expected.seq() + 1, "is beyond the end of the chain");
    } else if (!expected.hash().equals(end.hash())) {
      broken = new Break(end.seq(), "is not the event at which the chain ends");
    }
  }

  @Nullable Break broken() {
    return broken;
  }

  AuditChainPosition end() {
    return end;
  }

  long checked() {
    return checked;
  }
}
