package dev.monotick.postgres;

import dev.monotick.error.SchedulerException;
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
   * @param obstacle why session locks cannot be relied on, on the connections that leases are to be
   *     held in: a pooler in between, or locks that do not exclude
   * @throws SchedulerException if the session lock was asked for, and would mean nothing
   */
  PostgresLeadership resolve(Optional<String> obstacle) {
    if (this == LEASE_ROW) {
      return LEASE_ROW;
    }
    if (obstacle.isEmpty()) {
      return ADVISORY_LEASE;
    }
    if (this == AUTO) {
      log.info(
          "leases are rows, because {}; a direct connection to PostgreSQL for leases would make"
              + " failover after a crash quicker",
          obstacle.get());
      return LEASE_ROW;
    }
    throw new SchedulerException(
        "leadership ADVISORY_LEASE cannot be kept, because "
            + obstacle.get()
            + "; give a directDataSource that leads to PostgreSQL itself, or use LEASE_ROW");
  }
}
