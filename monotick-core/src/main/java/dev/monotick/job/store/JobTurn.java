package dev.monotick.job.store;

import dev.monotick.replica.ReplicaId;
import java.util.List;
import java.util.Set;

/**
 * One exchange between a replica and the store: what ended, and what the replica would take on.
 * Sent again as it was, it does nothing twice: jobs are claimed under its number, and an end that
 * was recorded as it is reported counts again.
 *
 * @param replica who
 * @param number grows with every turn of the replica that claims
 * @param finishes runs that ended
 * @param most how many jobs the replica would take, 0 for none
 * @param kinds the kinds it has handlers for
 * @param queues the queues it works on; empty for all
 */
public record JobTurn(
    ReplicaId replica,
    long number,
    List<JobFinish> finishes,
    int most,
    Set<String> kinds,
    Set<String> queues) {}
