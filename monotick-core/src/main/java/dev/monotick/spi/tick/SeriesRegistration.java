package dev.monotick.spi.tick;

import java.time.Instant;

/**
 * A task as a replica knows it.
 *
 * @param task name of the task
 * @param schedule the schedule's text, by which the ledger sees that it was changed
 * @param start where a new or changed schedule begins: times up to this one are not its ticks
 */
public record SeriesRegistration(String task, String schedule, Instant start) {}
