package dev.monotick.postgres.leader;

import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;

/**
 * Leadership by a session lock in a connection of its own, which the server frees at once when a
 * leader's process ends, and after the lease duration when it falls silent. Needs direct
 * connections: behind a pooler a session is not one.
 */
public final class AdvisoryElection implements LeaderElection, AutoCloseable {

  /** What it is meant for. */
  public static final LeaseTiming TIMING =
      new LeaseTiming(
          Duration.ofSeconds(6),
          Duration.ofMillis(1500),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1));

  private static final Duration LONGEST_POLL = Duration.ofSeconds(1);

  private final ElectionContext context;
  private final LeaseTiming timing;
  private final OpenCandidacies open = new OpenCandidacies();

  /** Creates one. */
  public AdvisoryElection(ElectionContext surroundings, LeaseTiming timing) {
    this.context = surroundings;
    this.timing = timing;
  }

  @Override
  public LeaseTiming defaultTiming() {
    return timing;
  }

  /** A lock that is free says so whenever it is asked; asking is what a follower can do. */
  @Override
  public Duration pollInterval(LeaseTiming timing) {
    Duration renew = timing.renewInterval();
    return renew.compareTo(LONGEST_POLL) < 0 ? renew : LONGEST_POLL;
  }

  @Override
  public Candidacy candidate(String group, MemberId replica, LeaseTiming timing) {
    return open.add(new AdvisoryCandidacy(context, new Candidate(group, replica, timing), open));
  }

  /** Closes all candidacies: terms that are held are not released. */
  @Override
  public void close() {
    open.close();
  }
}
