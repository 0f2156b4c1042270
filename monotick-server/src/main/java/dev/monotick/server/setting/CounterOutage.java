package dev.monotick.server.setting;

/** What happens to requests while nobody can count them. */
public enum CounterOutage {
  /** They go on. */
  OPEN,
  /** They are refused with 503. */
  CLOSED
}
