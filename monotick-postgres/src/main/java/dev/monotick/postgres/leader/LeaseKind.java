package dev.monotick.postgres.leader;

import dev.monotick.SchedulerException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How leaders are elected. */
public enum LeaseKind {

  /** By a session lock where connections are sessions, else by a row. */
  AUTO,

  /** By a session lock: the quickest after a crash. Needs direct connections. */
  ADVISORY,

  /** By a row: works behind any pooler. */
  ROW;

  private static final Logger log = LoggerFactory.getLogger(LeaseKind.class);

  /**
   * Returns the kind to use, never {@link #AUTO}.
   *
   * @param pooler what {@link PoolerProbe} found between here and the server, on the connections
   *     that leases are to be held in
   * @throws SchedulerException if the session lock was asked for, and would mean nothing
   */
  public LeaseKind resolve(Optional<String> pooler) {
    if (this == ROW) {
      return ROW;
    }
    if (pooler.isEmpty()) {
      log.debug("leases are session locks, because connections are sessions");
      return ADVISORY;
    }
    if (this == AUTO) {
      log.info(
          "leases are rows, because there is a pooler in between that keeps no sessions: {}; a"
              + " direct connection for leases would make failover after a crash quicker",
          pooler.get());
      return ROW;
    }
    throw new SchedulerException(
        "leases cannot be session locks, because there is a pooler in between that keeps no"
            + " sessions: "
            + pooler.get()
            + "; give leases a direct connection to the server, or use lease rows");
  }
}
