package dev.monotick.spi.tick;

/**
 * The answer to a report.
 *
 * @param recorded false if the claim was no longer the caller's and nothing was changed
 * @param state the task's state after it
 */
public record TickReportReply(boolean recorded, SeriesState state) {}
