package dev.monotick.postgres.leader;

import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;

/**
 * Leadership by a row that its holder renews, for where no session can be kept: behind a pooler
 * that gives each transaction another one, and on databases without session locks.
 */
public final class LeaseRowElection implements LeaderElection, AutoCloseable {

  /** What it is meant for. */
  public static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofSeconds(8),
          Duration.ofSeconds(2),
          Duration.ofMillis(1500),
          Duration.ofSeconds(1));

  private final ElectionContext context;
  private final Dialect dialect;
  private final LeaseTiming timing;
  private final OpenCandidacies open = new OpenCandidacies();

  /** Creates one. */
  public LeaseRowElection(ElectionContext surroundings, Dialect dialect, LeaseTiming timing) {
    this.context = surroundings;
    this.dialect = dialect;
    this.timing = timing;
  }

  @Override
  public LeaseTiming defaultTiming() {
    return timing;
  }

  @Override
  public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
    return open.add(
        new LeaseRowCandidacy(context, dialect, new Candidate(group, replica, timing), open));
  }

  /** Closes all candidacies: terms that are held are not released. */
  @Override
  public void close() {
    open.close();
  }
}
