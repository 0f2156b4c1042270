package dev.monotick.postgres.leader;

import dev.monotick.error.SchedulerException;
import dev.monotick.error.StoreException;
import dev.monotick.internal.StoreFailures;
import dev.monotick.leader.Fence;
import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.Session;
import dev.monotick.postgres.leader.LeaseTable.Minted;
import dev.monotick.postgres.leader.LeaseTable.Renewed;
import dev.monotick.postgres.leader.LeaseTable.Seen;
import dev.monotick.postgres.leader.LeaseTable.Stamp;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.time.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One candidate for the session lock of a group. Decision 8 tells the whole story; in short:
 *
 * <p><b>Two things must be had to lead</b>: the lock, in a session of one's own, and the lease row,
 * taken over by a compare-and-set that mints the fence in the same statement. The lock is what the
 * server frees by itself, at once when the holder's process ends, and by {@code
 * idle_session_timeout} when it falls silent for a lease. The row is what survives sessions and
 * servers: it says whose term was last, and its beat, which each renewal raises, whether that term
 * is still being renewed.
 *
 * <p><b>A free lock does not prove that its former holder has stopped.</b> Its connection may have
 * been cut, an administrator may have ended it, or the server was started anew, and the holder
 * still relies on its term for D - M since it sent the last renewal that was acknowledged. So
 * whoever obtains the lock keeps it, and takes the row
 *
 * <ol>
 *   <li>at once if it is marked as released: the holder does that only after its work has ended;
 *   <li>at once if the last term is this very candidate's: it knows best what it relies on, and
 *       asks only while that is nothing; the term may be one whose beginning was never answered;
 *   <li>at once if the holder's process is seen to have ended: in this session, thus in this life
 *       of the server, its presence lock was seen held, and now it is free as well as the lease's.
 *       Its kernel closes both connections of a process that ends, in any order, so that this may
 *       become true only some polls after the lock was obtained;
 *   <li>else when the row has not changed for a full D by the own ticker, see {@link LeaseWatch}.
 * </ol>
 *
 * <p><b>Races</b>, and why none of them gives two terms:
 *
 * <ul>
 *   <li>A row read before the lock was obtained may be older than its release; it is read again
 *       with the lock held. The release commits its mark before it frees the lock.
 *   <li>That the lock was seen <em>held</em> proves nothing about the holder: another candidate may
 *       have held it, waiting, after a restart of the server that the leader survived. Hence the
 *       presence lock, which is the holder's own.
 *   <li>The holder's presence is recorded in the row only if the server itself saw the lock held
 *       when the term began or was last renewed. A leader that lost its presence lock first and the
 *       lease's session some renewals later leaves a row without presence: rule 4.
 *   <li>The server ends the session of a silent holder neither by {@code idle_session_timeout} nor
 *       by any setting of TCP before D has passed since it last heard of it; all are set to D.
 *   <li>Two candidates can both think that the row is theirs to take only one after the other: each
 *       needs the lock, and the second one's compare-and-set finds another row.
 *   <li>A call that the engine gave up on may go on here. It works on one connection throughout,
 *       which abandoning has closed; the next call waits for its end. If it began a term all the
 *       same, rule 2 takes that over.
 *   <li>A renewal that arrives after a takeover finds another epoch in the row; one that arrives on
 *       another connection finds no lock.
 * </ul>
 *
 * <p>What remains: both sessions of a leader that lives are cut at the same moment while ours
 * stays. That looks like a crash to rule 3. The leader learns it with its next renewal, and until
 * then the fence refuses its writes.
 *
 * <p>Calls wait for each other; {@link #abandon} and {@link #close} wait for nothing.
 */
final class AdvisoryCandidacy implements Candidacy {

  private static final Logger log = LoggerFactory.getLogger(AdvisoryCandidacy.class);

  private final Candidate candidate;
  private final LockKey lock;
  private final Ticker ticker;
  private final Duration timeout;
  private final long leaseNanos;
  private final LeaseTable table;
  private final LeaseWatch watch;
  private final LeaseSignals signals;
  private final Session session;
  private final OpenCandidacies open;

  // What is known of the session that is open. Guarded by this, as is all below.
  private boolean locked;
  private @Nullable Long seenPresence;
  private @Nullable Stamp firstStamp;
  private long usedAt;

  private @Nullable Term term;

  /**
   * The term that is held.
   *
   * @param generation of the session that holds the lock
   * @param stamp who answered when it began
   * @param sentAt when the newest acknowledged request was about to leave
   */
  private record Term(Fence fence, long generation, Stamp stamp, long sentAt) {}

  AdvisoryCandidacy(ElectionContext surroundings, Candidate candidate, OpenCandidacies open) {
    Duration lease = candidate.timing().leaseDuration();
    this.candidate = candidate;
    this.lock = LockKey.of(surroundings.schema(), "leader", candidate.group());
    this.ticker = surroundings.ticker();
    this.timeout = candidate.timing().renewTimeout();
    this.leaseNanos = lease.toNanos();
    this.table =
        new LeaseTable(
            surroundings.database(),
            LeaseSql.inSession(lock, surroundings.notifications().presenceKey()),
            candidate);
    this.watch = new LeaseWatch(ticker, lease);
    this.signals = new LeaseSignals(surroundings.notifications(), candidate.group());
    this.session = surroundings.database().session(this::prepare);
    this.open = open;
  }

  @Override
  public synchronized Optional<Fence> tryAcquire() {
    term = null; // the engine asks only if it knows of none
    long sentAt = use();
    Optional<Minted> minted =
        session.call("attempt at leadership " + candidate.group(), timeout, this::attempt);
    minted.ifPresent(
        begun -> term = new Term(begun.fence(), session.generation(), begun.stamp(), sentAt));
    return minted.map(Minted::fence);
  }

  private Optional<Minted> attempt(Connection connection) throws SQLException {
    if (!locked) {
      Seen seen = table.tryLock(connection, seenPresence);
      note(seen);
      if (!seen.locked()) {
        return Optional.empty();
      }
      locked = true;
    }
    Seen seen = table.readLocked(connection);
    if (seen.row() == null) {
      table.begin(connection);
      seen = table.readLocked(connection);
    }
    note(seen);
    LeaseRow row = seen.row();
    if (row == null || !mayTake(row, seen.present())) {
      return Optional.empty(); // with the lock kept: the next attempt sees more
    }
    return table.mint(connection, row);
  }

  private void note(Seen seen) {
    Stamp first = firstStamp;
    if (first == null) {
      firstStamp = seen.stamp();
    } else if (!first.equals(seen.stamp())) {
      throw new StoreException(strange(first, seen.stamp()));
    }
    LeaseRow row = seen.row();
    if (row != null) {
      watch.observed(row, seen.stamp().timeline());
      if (Boolean.TRUE.equals(seen.present())) {
        seenPresence = row.presence();
      }
    }
  }

  private boolean mayTake(LeaseRow row, @Nullable Boolean present) {
    String because;
    if (row.released()) {
      because = "it was released";
    } else if (table.isOwn(row)) {
      because = "it was this candidate's own";
    } else if (row.presence() != null
        && row.presence().equals(seenPresence)
        && Boolean.FALSE.equals(present)) {
      because = "its holder has ended";
    } else if (watch.hasRunOut()) {
      because = "its holder is silent";
    } else {
      log.debug("lease may still be relied on group={} holder={}", candidate.group(), row.holder());
      return false;
    }
    log.debug("lease is taken, {} group={} last={}", because, candidate.group(), row);
    return true;
  }

  @Override
  public synchronized boolean renew(Fence fence) {
    Term current = term;
    if (current == null || !current.fence().equals(fence)) {
      return false;
    }
    long sentAt = ticker.read();
    if (sentAt - current.sentAt() >= leaseNanos || !isIn(current)) {
      return lost("its lease ran out or its session ended", null);
    }
    usedAt = sentAt;
    Renewed renewed;
    try {
      renewed =
          session.call(
              "renewal of leadership " + candidate.group(),
              timeout,
              connection -> table.renew(connection, fence));
    } catch (SchedulerException e) {
      // The session is gone and the lock with it, so this is no doubt but the end.
      return lost("its session failed", e);
    }
    if (!renewed.stamp().equals(current.stamp())) {
      return lost(strange(current.stamp(), renewed.stamp()), null);
    }
    if (!renewed.current()) {
      return lost("its lock or its row is not its own any more", null);
    }
    term = new Term(fence, current.generation(), current.stamp(), sentAt);
    return true;
  }

  private boolean isIn(Term current) {
    return current.generation() != 0 && current.generation() == session.generation();
  }

  private boolean lost(String why, @Nullable Exception cause) {
    term = null;
    session.abort();
    if (cause == null) {
      log.warn("term is over, {} group={}", why, candidate.group());
    } else {
      log.warn(
          "term is over, {} group={} cause={}",
          why,
          candidate.group(),
          StoreFailures.describe(cause),
          StoreFailures.trace(cause));
    }
    return false;
  }

  private static String strange(Stamp before, Stamp now) {
    return before.pid() == now.pid()
        ? "the server was promoted: its timeline was "
            + before.timeline()
            + ", now "
            + now.timeline()
        : "another server process answered in the same connection, so there seems to be a pooler in"
            + " between, and locks mean nothing; give leases a direct connection, or use the lease"
            + " row";
  }

  @Override
  public synchronized void release(Fence fence) {
    Term current = term;
    boolean held = current != null && current.fence().equals(fence);
    long unused = use();
    session.call(
        "release of leadership " + candidate.group(),
        timeout,
        connection -> {
          boolean ended = table.release(connection, fence); // committed before the lock is free
          boolean unlocked = held && locked;
          if (unlocked) {
            unlock(connection);
          }
          if (ended || unlocked) {
            signals.freed(connection); // after the lock is free, or it would be tried too early
          }
          return ended;
        });
    if (held) {
      term = null;
    }
  }

  private void unlock(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("select pg_advisory_unlock(" + lock.sql() + ")");
    }
    locked = false;
  }

  /** Returns now; a session the server may have ended as idle is not used again. */
  private long use() {
    long now = ticker.read();
    if (now - usedAt >= leaseNanos - timeout.toNanos()) {
      session.abort();
    }
    usedAt = now;
    return now;
  }

  /** Done with each new connection: it holds nothing and has seen nothing. */
  private int prepare(Connection connection) throws SQLException {
    locked = false;
    seenPresence = null;
    firstStamp = null;
    return LeaseSession.prepare(connection, candidate);
  }

  @Override
  public void abandon() {
    session.abort();
  }

  @Override
  public void whenFreed(Runnable listener) {
    signals.whenFreed(listener);
  }

  /** What broke one session of this process may have broken the other, and others see both. */
  @Override
  public void whenDoubtful(Runnable listener) {
    signals.whenSessionsBreak(listener);
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
