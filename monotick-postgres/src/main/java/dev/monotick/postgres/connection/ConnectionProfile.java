package dev.monotick.postgres.connection;

/** Whose server session a connection leads to, and thus how {@link SessionSettings} are set. */
public enum ConnectionProfile {

  /** A session that only the engine ever uses: the settings are set once, when it is opened. */
  OWN,

  /**
   * A session that others use next: the application, by its pool, or anybody, by a pooler that
   * gives each transaction another one. The settings are set for each transaction, in the message
   * that its statement is sent with, and end with it.
   */
  SHARED
}
