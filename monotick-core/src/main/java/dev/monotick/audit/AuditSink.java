package dev.monotick.audit;

/**
 * Takes what is to be recorded. Called in order, on a thread of its own: may block, and what it
 * throws is logged. Anybody may implement it.
 */
@FunctionalInterface
public interface AuditSink {

  /** Records the event. */
  void record(AuditEvent event);

  /** Returns a sink that takes nothing. */
  static AuditSink none() {
    return event -> {};
  }
}
