package dev.monotick.job.store;

import dev.monotick.replica.ReplicaId;
import java.util.List;
import java.util.Set;

/**
 * One exchange between a replica and the store: what ended, and what the replica would take on.
 * Sent again as it was, it does nothing twice: jobs are claimed under its number, and an end that
 * was recorded as it is reported counts again.
 *
 * <p>A number is used for one claim. A turn that got no jobs has claimed nothing, so the next one
 * has its number again; and it may {@linkplain #staysOpen stay open} until then: whoever adds a job
 * may have it claimed under this number for the replica, and tell {@linkplain ReadyListener it}. A
 * replica that did not hear of that gets the job with its next turn, as it would if the answer to a
 * turn was lost. One that wants no more closes its turn by another with the same number that asks
 * for none.
 *
 * @param replica who
 * @param number grows with every turn of the replica that claims; 0 if it neither claims nor closes
 * @param finishes runs that ended
 * @param most how many jobs the replica would take, 0 for none
 * @param kinds the kinds it has handlers for
 * @param queues the queues it works on; empty for all
 * @param staysOpen whether one job may be claimed under the number later, if there is none now
 */
public record JobTurn(
    ReplicaId replica,
    long number,
    List<JobFinish> finishes,
    int most,
    Set<String> kinds,
    Set<String> queues,
    boolean staysOpen) {

  /** Creates a turn that does not stay open. */
  public JobTurn(
      ReplicaId replica,
      long number,
      List<JobFinish> finishes,
      int most,
      Set<String> kinds,
      Set<String> queues) {
    this(replica, number, finishes, most, kinds, queues, false);
  }

  /** Says whether this ends what an earlier turn of the same number left open. */
  public boolean closes() {
    return number > 0 && most == 0;
  }
}
