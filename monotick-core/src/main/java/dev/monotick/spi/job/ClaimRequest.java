package dev.monotick.spi.job;

import dev.monotick.spi.replica.MemberId;
import java.util.Set;

/**
 * Asks for jobs. Sent again as it was, it claims nothing twice: the reply has the jobs that were
 * claimed under its number and have not ended.
 *
 * <p>A number is used for one claim. A request that got no jobs has claimed nothing, so the next
 * request has the same number. Once it is {@linkplain ClaimReply#used used}, the next number is
 * due.
 *
 * @param member the membership that asks
 * @param number the number of the claim, from 1; grows within the membership
 * @param most the most jobs to claim, at least 1
 * @param kinds the kinds of jobs it has handlers for
 * @param queues the queues it works on; empty for all
 */
public record ClaimRequest(
    MemberId member, long number, int most, Set<String> kinds, Set<String> queues) {

  /** Refuses a number or a count below 1. */
  public ClaimRequest {
    if (number < 1 || most < 1) {
      throw new IllegalArgumentException(
          "number and most must be at least 1, but were " + number + " and " + most);
    }
  }
}
