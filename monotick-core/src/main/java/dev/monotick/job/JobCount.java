package dev.monotick.job;

/**
 * How many jobs a lane has in which state; kept up to date by every change, never counted.
 *
 * @param lane the lane
 * @param waiting scheduled, retrying, or awaiting approval
 * @param ready waiting for a replica
 * @param running claimed by one
 * @param succeeded ever
 * @param failed runs whose handler failed, ever: those that were retried, and those that died of it
 * @param dead dead letters now
 * @param ended cancelled, rejected, expired or unknown, ever
 */
public record JobCount(
    Lane lane,
    long waiting,
    long ready,
    long running,
    long succeeded,
    long failed,
    long dead,
    long ended) {}
