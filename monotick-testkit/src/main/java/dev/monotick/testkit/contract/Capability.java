package dev.monotick.testkit.contract;

/** What a backend may or may not offer; a contract test that needs it is reported as skipped. */
public enum Capability {
  /** Listeners are told when a lease was released and when a tick waits. */
  SIGNALS,
  /** The fences of its leaders are those of its ledger: a new term makes the old fence stale. */
  FENCES_IN_LEDGER
}
