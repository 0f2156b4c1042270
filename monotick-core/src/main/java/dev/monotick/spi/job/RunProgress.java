package dev.monotick.spi.job;

import dev.monotick.job.Job;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a run that takes a while.
 *
 * @param run the run
 * @param startedAt when its handler began, by the store's clock
 * @param progress from 0 to 1, null if it says nothing
 * @param doing a line for people, null if it says nothing
 * @param lines log lines since the last note
 */
public record RunProgress(
    JobRun run,
    Instant startedAt,
    @Nullable Double progress,
    @Nullable String doing,
    List<Job.LogLine> lines) {}
