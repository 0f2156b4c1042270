package dev.monotick.postgres;

import dev.monotick.SchedulerException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  LEASE_ROW;

  private static final Logger log = LoggerFactory.getLogger(PostgresLeadership.class);

  /**
   * Returns the one to use, never {@link #AUTO}.
   *
   * @param pooler what was found between here and the server, on the connections that leases are to
   *     be held in
   * @throws SchedulerException if the session lock was asked for, and would mean nothing
   */
  PostgresLeadership resolve(Optional<String> pooler) {
    if (this == LEASE_ROW) {
      return LEASE_ROW;
    }
    if (pooler.isEmpty()) {
      return ADVISORY_LEASE;
    }
    if (this == AUTO) {
      log.info(
          "leases are rows, because there is a pooler in between that keeps no sessions: {}; a"
              + " direct connection for leases would make failover after a crash quicker",
          pooler.get());
      return LEASE_ROW;
    }
    throw new SchedulerException(
        "leadership ADVISORY_LEASE cannot be kept, because there is a pooler in between that keeps"
            + " no sessions: "
            + pooler.get()
            + "; give a directDataSource that leads past it, or use LEASE_ROW");
  }
}
