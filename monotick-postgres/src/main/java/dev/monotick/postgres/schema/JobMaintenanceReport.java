package dev.monotick.postgres.schema;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a call of {@link JobMaintenance#run} did.
 *
 * @param worked false if another replica was at it, so that this call did nothing
 * @param created partitions for the days to come
 * @param dropped partitions that were older than the retention
 * @param kept partitions that are as old, but have many jobs that are alive or ended lately
 * @param postponed partitions to be created or dropped that were in use; next time
 * @param jobsMoved jobs of dropped partitions that are alive or ended lately, and so were kept
 * @param jobsDeleted old jobs from outside such partitions, or with a retention of their own
 * @param rowsDeleted unique keys, expiries and notes that mean nothing any more
 * @param unfinished whether there was more to do than one call does; the rest is for the next one
 */
public record JobMaintenanceReport(
    boolean worked,
    List<String> created,
    List<String> dropped,
    List<String> kept,
    List<String> postponed,
    long jobsMoved,
    long jobsDeleted,
    long rowsDeleted,
    boolean unfinished) {

  /** Copies the lists. */
  public JobMaintenanceReport {
    created = List.copyOf(created);
    dropped = List.copyOf(dropped);
    kept = List.copyOf(kept);
    postponed = List.copyOf(postponed);
  }

  /** Returns what this and a later piece of the same work did together. */
  JobMaintenanceReport and(JobMaintenanceReport next) {
    return new JobMaintenanceReport(
        worked || next.worked,
        concat(created, next.created),
        concat(dropped, next.dropped),
        next.kept,
        next.postponed,
        jobsMoved + next.jobsMoved,
        jobsDeleted + next.jobsDeleted,
        rowsDeleted + next.rowsDeleted,
        next.worked ? next.unfinished : unfinished);
  }

  private static List<String> concat(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }
}
