package dev.monotick.postgres.job;

import dev.monotick.postgres.job.handoff.HandoffNotification;
import dev.monotick.postgres.job.queue.ClaimCalls;
import dev.monotick.postgres.job.row.ExchangeCall;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.HandoffListener;
import dev.monotick.spi.job.JobHandoffStore;
import dev.monotick.spi.replica.MemberId;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hands off jobs to the members of this process. An enqueuer that finds an offer claims its job
 * under the offer's number and notifies the channel that the offer names; see job_hand. Whoever
 * receives the notification reads the claim on the connection that brought it: the server process
 * behind that connection was just woken, so it is the quickest to answer. Thread-safe.
 */
final class PostgresHandoff implements JobHandoffStore {

  private final ClaimCalls exchanges;
  private final Map<MemberId, HandoffListener> listeners = new ConcurrentHashMap<>();
  private final Runnable dropNotifications;

  /**
   * Creates it without members.
   *
   * @param dropNotifications has notifications that are on their way never arrive
   */
  PostgresHandoff(ClaimCalls turns, Runnable dropNotifications) {
    this.exchanges = turns;
    this.dropNotifications = dropNotifications;
  }

  @Override
  public void open(MemberId member, HandoffListener listener) {
    listeners.put(member, listener);
  }

  @Override
  public ClaimReply withdraw(MemberId member, long number) {
    return exchanges.exchange(ExchangeCall.withdrawal(member, number)).claim();
  }

  @Override
  public void close(MemberId member) {
    listeners.remove(member);
    exchanges.claims().retire(member);
    dropNotifications.run();
  }

  /** Takes a notification that came on a connection, which is open and used by this thread only. */
  void notified(HandoffNotification notice, Connection connection) {
    HandoffListener listener = listeners.get(notice.replica());
    if (listener != null) { // else it is about a membership that is over
      listener.handedOff(notice.number(), () -> read(notice, connection));
    }
  }

  private Optional<ClaimReply> read(HandoffNotification notice, Connection connection) {
    ClaimReply claim = exchanges.readClaim(notice.replica(), notice.number(), connection);
    return claim.used() ? Optional.of(claim) : Optional.empty();
  }
}
