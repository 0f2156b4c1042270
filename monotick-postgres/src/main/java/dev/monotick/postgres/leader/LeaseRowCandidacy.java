package dev.monotick.postgres.leader;

import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.Session;
import dev.monotick.postgres.leader.LeaseTable.Minted;
import dev.monotick.postgres.leader.LeaseTable.Renewed;
import dev.monotick.postgres.leader.LeaseTable.Seen;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.time.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One candidate for the lease row of a group.
 *
 * <p>The holder raises the row's beat. A follower takes the row over when it saw it released, or
 * unchanged for a full lease by its own ticker, see {@link LeaseWatch}: by a compare-and-set on all
 * that it saw, which mints the fence in the same statement. No clock of the server or of another
 * replica takes part. Candidates for the session lock of the same group follow the same rules for
 * the row, so replicas that lead by different means may share a group, if need be.
 *
 * <p>Each call is one or two single statements in autocommit, and nothing is expected of the
 * session: a pooler may run each in another one. Statements are not prepared on the server, because
 * the one they were prepared in may be somebody else's by then.
 *
 * <p>Races, and why none of them gives two terms:
 *
 * <ul>
 *   <li>A renewal and a takeover at once: both write the row. If the renewal is first, the beat is
 *       not what was seen and nothing is taken; if it is second, the epoch is not its own any more.
 *   <li>A statement whose answer was lost may still be carried out, at any later time. A renewal
 *       names its epoch, so it can only renew a term that nobody followed; the holder counts from
 *       when the newest <em>acknowledged</em> one was sent. A takeover names the row it saw, so it
 *       finds another one, or begins a term that nobody knows of and that runs out like any other;
 *       this candidate takes that over at once, as it asks only while it relies on nothing.
 *   <li>A holder that was silent for a lease and then renews a row that nobody took: its own ticker
 *       says that it is too late, and no statement is sent.
 *   <li>The first row: whoever inserts it inserts it free to take, and takes it like any other.
 * </ul>
 *
 * <p>Calls wait for each other; {@link #abandon} and {@link #close} wait for nothing.
 */
final class LeaseRowCandidacy implements Candidacy {

  private static final Logger log = LoggerFactory.getLogger(LeaseRowCandidacy.class);

  private final Candidate candidate;
  private final Ticker ticker;
  private final Duration timeout;
  private final long leaseNanos;
  private final LeaseTable table;
  private final LeaseWatch watch;
  private final LeaseSignals signals;
  private final Session session;
  private final OpenCandidacies open;
  private @Nullable Term term; // guarded by this

  /**
   * The term that is held.
   *
   * @param timeline the history the server was in when it began
   * @param sentAt when the newest acknowledged request was about to leave
   */
  private record Term(Fence fence, long timeline, long sentAt) {}

  LeaseRowCandidacy(
      ElectionContext surroundings, Dialect dialect, Candidate candidate, OpenCandidacies open) {
    Duration lease = candidate.timing().leaseDuration();
    this.candidate = candidate;
    this.ticker = surroundings.ticker();
    this.timeout = candidate.timing().renewTimeout();
    this.leaseNanos = lease.toNanos();
    this.table =
        new LeaseTable(surroundings.database(), LeaseSql.withoutSession(dialect), candidate);
    this.watch = new LeaseWatch(ticker, lease);
    this.signals = new LeaseSignals(surroundings.notifications(), candidate.group());
    this.session = surroundings.database().session(LeaseRowCandidacy::prepare);
    this.open = open;
  }

  private static boolean prepare(Connection connection) throws SQLException {
    connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    return true;
  }

  @Override
  public synchronized Optional<Fence> tryAcquire() {
    term = null; // the engine asks only if it knows of none
    long sentAt = ticker.read();
    Optional<Minted> minted =
        session.call("attempt at leadership " + candidate.group(), timeout, this::attempt);
    minted.ifPresent(begun -> term = new Term(begun.fence(), begun.stamp().timeline(), sentAt));
    return minted.map(Minted::fence);
  }

  private Optional<Minted> attempt(Connection connection) throws SQLException {
    Seen seen = table.read(connection);
    if (seen.row() == null) {
      table.begin(connection);
      seen = table.read(connection);
    }
    LeaseRow row = seen.row();
    if (row == null) {
      return Optional.empty(); // somebody deletes rows; the next attempt makes another one
    }
    watch.observed(row, seen.stamp().timeline());
    boolean mayTake = row.released() || table.isOwn(row) || watch.hasRunOut();
    return mayTake ? table.mint(connection, row) : Optional.empty();
  }

  @Override
  public synchronized boolean renew(Fence fence) {
    Term current = term;
    if (current == null || !current.fence().equals(fence)) {
      return false;
    }
    long sentAt = ticker.read();
    if (sentAt - current.sentAt() >= leaseNanos) {
      return lost("its lease ran out");
    }
    Renewed renewed =
        session.call(
            "renewal of leadership " + candidate.group(),
            timeout,
            connection -> table.renew(connection, fence));
    if (renewed.stamp().timeline() != current.timeline()) {
      return lost("the server was promoted");
    }
    if (!renewed.current()) {
      return lost("its row is not its own any more");
    }
    term = new Term(fence, current.timeline(), sentAt);
    return true;
  }

  private boolean lost(String why) {
    term = null;
    log.warn("term is over, {} group={}", why, candidate.group());
    return false;
  }

  @Override
  public synchronized void release(Fence fence) {
    Term current = term;
    if (current != null && current.fence().equals(fence)) {
      term = null;
    }
    session.call(
        "release of leadership " + candidate.group(),
        timeout,
        connection -> {
          boolean ended = table.release(connection, fence);
          if (ended) {
            signals.freed(connection);
          }
          return ended;
        });
  }

  @Override
  public void abandon() {
    session.abort();
  }

  @Override
  public void whenFreed(Runnable listener) {
    signals.whenFreed(listener);
  }

  @Override
  public Optional<Duration> mayBeFreeIn() {
    return watch.untilRunOut();
  }

  @Override
  public void close() {
    signals.close();
    session.close();
    open.remove(this);
  }
}
