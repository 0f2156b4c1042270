package dev.monotick.spi.tick;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the ledger knows of a task: facts only. Whether the task is backing off or paused for its
 * failures follows from these and its policies, the same on every replica.
 *
 * @param task name of the task
 * @param cursor the newest nominal time that is accounted for; only grows
 * @param open how many runs have not ended
 * @param queued how many ticks wait, to be taken or for a run to end
 * @param failures how many runs in a row failed or timed out, up to the last one
 * @param lastFailureAt when the last of these ended, null if there are none
 * @param lastEndedAt when the last run ended, null if there was none
 * @param lastSuccessAt when the last successful run ended, null if there was none
 * @param pause who paused the task and why, null if nobody did
 */
public record SeriesState(
    String task,
    Instant cursor,
    int open,
    int queued,
    int failures,
    @Nullable Instant lastFailureAt,
    @Nullable Instant lastEndedAt,
    @Nullable Instant lastSuccessAt,
    @Nullable SeriesPause pause) {}
