package dev.monotick.postgres;

/** How leaders are elected in the database. */
public enum PostgresLeadership {
  /** The lock where connections are direct, the row where something sits in between. */
  AUTO,
  /**
   * A session lock that the server frees at once when the leader's process ends. Needs direct
   * connections: refused behind a pooler that shares them.
   */
  ADVISORY_LEASE,
  /**
   * A row that its holder keeps changing; slower to notice a crash, and at home behind a pooler.
   */
  LEASE_ROW
}
