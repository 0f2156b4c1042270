package dev.monotick.testkit.contract;

import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a member of a test exchanges with a job store in one step: completions, a claim, both, or
 * the withdrawal of an offer.
 *
 * @param replica the member; completions are reported as if their jobs were claimed by it
 * @param number the number of the claim; 0 for none
 * @param finishes the completions
 * @param most how many jobs to claim; 0 with a number withdraws the offer of that number
 * @param kinds the kinds of jobs to claim
 * @param queues the queues to claim from; empty for all
 * @param offers whether to leave an offer under the number if nothing is found
 */
public record StoreExchange(
    MemberId replica,
    long number,
    List<Completion> finishes,
    int most,
    Set<String> kinds,
    Set<String> queues,
    boolean offers) {

  /** Creates an exchange that leaves no offer. */
  public StoreExchange(
      MemberId replica,
      long number,
      List<Completion> finishes,
      int most,
      Set<String> kinds,
      Set<String> queues) {
    this(replica, number, finishes, most, kinds, queues, false);
  }

  /**
   * The answers.
   *
   * @param finished whether each completion was recorded
   * @param jobs the claimed jobs
   * @param more whether more jobs may be waiting
   * @param nextDue when the next job is due
   * @param used whether the number is used
   */
  public record Reply(
      List<Boolean> finished,
      List<ClaimedJob> jobs,
      boolean more,
      Optional<Duration> nextDue,
      boolean used) {

    private static Reply of(List<Boolean> finished, ClaimReply claim) {
      return new Reply(finished, claim.jobs(), claim.more(), claim.nextDue(), claim.used());
    }
  }

  /** Makes the calls. */
  public Reply with(JobStore store) {
    List<Completion> completions = finishes.stream().map(this::asOwn).toList();
    if (most > 0) {
      ClaimRequest claim = new ClaimRequest(replica, number, most, kinds, queues);
      ExchangeReply reply = store.exchange(new ExchangeRequest(completions, claim, offers));
      return Reply.of(reply.completed(), reply.claim());
    }
    List<Boolean> recorded =
        new ArrayList<>(completions.isEmpty() ? List.of() : store.complete(completions));
    return Reply.of(recorded, number > 0 ? withdraw(store) : ClaimReply.NONE);
  }

  /** Where no offers are made, a request for no kinds does the same. */
  private ClaimReply withdraw(JobStore store) {
    return store
        .handoff()
        .map(handoffs -> handoffs.withdraw(replica, number))
        .orElseGet(() -> store.claim(new ClaimRequest(replica, number, 1, Set.of(), Set.of())));
  }

  private Completion asOwn(Completion finish) {
    ClaimedJob job = finish.job();
    if (job.owner().equals(replica)) {
      return finish;
    }
    ClaimedJob own =
        new ClaimedJob(
            replica,
            job.run(),
            job.lane(),
            job.version(),
            job.payload(),
            job.rules(),
            job.limitKey(),
            job.readyAt(),
            job.headers(),
            job.crashes());
    return new Completion(own, finish.result(), finish.startedAt(), finish.took());
  }
}
