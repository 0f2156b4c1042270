package dev.monotick.postgres.replica;

import dev.monotick.spi.time.Ticker;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Judges who is dead from what this process saw with its own eyes, by its own ticker: no wall clock
 * takes part, neither the database's nor anybody else's.
 *
 * <ul>
 *   <li><b>Silent</b>: its count of beats did not change for the whole lease.
 *   <li><b>Crashed</b>: both sessions of its process ended at once, while ours, in which we had
 *       seen them connected, goes on. A process that is killed loses all of its connections at that
 *       moment; a server that restarts takes ours as well; one broken connection leaves the other.
 * </ul>
 *
 * <p>Not thread-safe: guarded by the registry.
 */
final class LivenessObserver {

  private final Ticker ticker;
  private final long leaseNanos;
  private final Map<UUID, Seen> seen = new HashMap<>();
  private long observedIn; // the session of ours in which all were last looked at

  /**
   * What was seen of a replica.
   *
   * @param heartbeat its count of beats
   * @param since when that count was first seen, by the ticker
   * @param witnessed whether it was seen to grow, and not just found
   * @param connectedIn the session of ours in which a lock of its was seen held, 0 if none
   */
  private record Seen(long heartbeat, long since, boolean witnessed, long connectedIn) {}

  /** What is known of a replica. */
  enum Verdict {
    /** It was alive within the lease. */
    ALIVE,
    /** It was found, and nobody can say yet whether it still lives. */
    UNKNOWN,
    /** It is dead. */
    GONE
  }

  LivenessObserver(Ticker ticker, long leaseNanos) {
    this.ticker = ticker;
    this.leaseNanos = leaseNanos;
  }

  /** The replica proved to this process that it lives: it joined or beat from here. */
  void alive(UUID replica, long beat) {
    Seen before = seen.get(replica);
    seen.put(replica, new Seen(beat, ticker.read(), true, before == null ? 0 : before.connectedIn));
  }

  /**
   * Says whether a replica of this process was silent for so long that others may say it is gone.
   */
  boolean isSilent(UUID replica) {
    Seen last = seen.get(replica);
    return last != null && ticker.read() - last.since >= leaseNanos;
  }

  /** Returns whether this process saw the replica prove that it lives, and not just found it. */
  boolean hasSentHeartbeat(UUID replica) {
    Seen last = seen.get(replica);
    return last != null && last.witnessed;
  }

  void forget(UUID replica) {
    seen.remove(replica);
  }

  /** All replicas that are not known to be gone were just looked at. */
  void observedAll(long session) {
    observedIn = session;
  }

  /**
   * Looks at a replica.
   *
   * @param session counts the sessions in which this process looks
   */
  Verdict observe(MemberSighting now, long session) {
    long at = ticker.read();
    Seen before = seen.get(now.id());
    Seen after;
    if (before == null) {
      // One that was not there at the last look of this session has joined in it, which takes a
      // connection.
      boolean wasConnected = now.isConnected() || observedIn == session;
      after = new Seen(now.heartbeat(), at, false, wasConnected ? session : 0);
    } else if (before.heartbeat != now.heartbeat()) {
      after = new Seen(now.heartbeat(), at, true, now.isConnected() ? session : before.connectedIn);
    } else {
      boolean crashed = now.isDisconnected() && before.connectedIn == session;
      if (crashed || at - before.since >= leaseNanos) {
        return Verdict.GONE;
      }
      after =
          now.isConnected()
              ? new Seen(before.heartbeat, before.since, before.witnessed, session)
              : before;
    }
    seen.put(now.id(), after);
    return after.witnessed || now.isConnected() ? Verdict.ALIVE : Verdict.UNKNOWN;
  }
}
