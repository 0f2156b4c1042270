package dev.monotick.spi.job;

import dev.monotick.spi.replica.MemberId;

/**
 * Optional part of a job store: a job that is added while a replica waits is claimed for that
 * replica in the same statement, and reaches it without being asked for.
 *
 * <p>A member that finds no job may leave an offer: {@link ExchangeRequest#offers}. Another replica
 * that adds a job may then claim it under the offer's number, and notifies the member. The claim
 * counts, not the notification: a member that was not notified gets the job when it asks under that
 * number again, and nothing begins before the claim was read under the present membership.
 *
 * <p>Implemented by our own backends. Thread-safe.
 */
public interface JobHandoffStore {

  /** Begins to notify a member of jobs handed off to it, in place of an earlier listener. */
  void open(MemberId member, HandoffListener listener);

  /**
   * Ends the offer of that number, so that nothing is claimed under it any more. Returns the jobs
   * that were claimed under it and have not ended. May be repeated.
   */
  ClaimReply withdraw(MemberId member, long number);

  /**
   * The membership is over: notifications that are still on their way to it are never delivered.
   * Does not block.
   */
  void close(MemberId member);
}
