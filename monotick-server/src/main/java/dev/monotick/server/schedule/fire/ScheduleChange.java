package dev.monotick.server.schedule.fire;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a look changes in a schedule's row, as JSON has it on its way to the database.
 *
 * @param nextAt nominal time of the next tick; null if there is none
 * @param notBefore end of a backoff; null if there is none
 * @param refusals ticks in a row that became no job
 * @param fired how many more
 * @param skipped how many more
 * @param missed how many more
 * @param fence the one it had when it was claimed
 */
record ScheduleChange(
    UUID id,
    @Nullable String nextAt,
    @Nullable String notBefore,
    int refusals,
    long fired,
    long skipped,
    long missed,
    long fence) {}
