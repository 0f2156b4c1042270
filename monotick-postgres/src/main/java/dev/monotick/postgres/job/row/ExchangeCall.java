package dev.monotick.postgres.job.row;

import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.replica.MemberId;
import java.util.List;
import java.util.Set;

/**
 * What one statement does for a member: completions, a claim, or both.
 *
 * @param replica the member
 * @param number the number of the claim; 0 for none
 * @param finishes the completions
 * @param most how many jobs to claim; 0 with a number withdraws the offer of that number
 * @param kinds the kinds of jobs to claim
 * @param queues the queues to claim from; empty for all
 * @param offers whether to leave an offer under the number if nothing is found
 */
public record ExchangeCall(
    MemberId replica,
    long number,
    List<Completion> finishes,
    int most,
    Set<String> kinds,
    Set<String> queues,
    boolean offers) {

  public static ExchangeCall of(ExchangeRequest request) {
    ClaimRequest claim = request.claim();
    return new ExchangeCall(
        claim.member(),
        claim.number(),
        request.completions(),
        claim.most(),
        claim.kinds(),
        claim.queues(),
        request.offers());
  }

  public static ExchangeCall of(ClaimRequest claim) {
    return of(new ExchangeRequest(List.of(), claim, false));
  }

  public static ExchangeCall of(List<Completion> completions) {
    MemberId owner = completions.get(0).job().owner();
    return new ExchangeCall(owner, 0, completions, 0, Set.of(), Set.of(), false);
  }

  public static ExchangeCall withdrawal(MemberId member, long number) {
    return new ExchangeCall(member, number, List.of(), 0, Set.of(), Set.of(), false);
  }
}
