package dev.monotick.postgres;

import dev.monotick.error.StoreException;
import dev.monotick.postgres.connection.Database;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An election that refuses more leadership groups than the data source lends connections for. Each
 * group keeps one for good: with too few, the last groups would wait for one for ever.
 */
final class BudgetedElection implements LeaderElection {

  private static final Logger log = LoggerFactory.getLogger(BudgetedElection.class);

  private final LeaderElection election;
  private final StoreConfig config;
  private final Database database;
  private final boolean sessions;
  private int proven; // guarded by this

  /**
   * Creates one.
   *
   * @param sessions whether notices and new jobs keep connections too
   * @param proven for how many groups the connections are known to suffice
   */
  BudgetedElection(
      LeaderElection election,
      StoreConfig config,
      Database database,
      boolean sessions,
      int proven) {
    this.election = election;
    this.config = config;
    this.database = database;
    this.sessions = sessions;
    this.proven = proven;
  }

  @Override
  public synchronized void checkCapacity(int groups) {
    if (groups <= proven) {
      return;
    }
    try {
      ConnectionBudget.of(sessions, groups).requireKept(config, database::openSessions);
      proven = groups;
    } catch (StoreException e) { // an engine may be built while the server is away
      log.warn(
          "cannot check whether there are connections for {} leadership groups: {}",
          groups,
          e.getMessage());
    }
  }

  @Override
  public LeaseTiming defaultTiming() {
    return election.defaultTiming();
  }

  @Override
  public Duration pollInterval(LeaseTiming timing) {
    return election.pollInterval(timing);
  }

  @Override
  public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
    return election.candidate(group, replica, timing);
  }
}
