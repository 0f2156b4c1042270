package dev.monotick.postgres.schema;

import java.util.ArrayList;
import java.util.List;

/**
 * What a call of {@link LedgerMaintenance#run} did.
 *
 * @param worked false if another replica was at it, so that this call did nothing
 * @param created partitions for the days to come
 * @param dropped partitions that were older than the retention
 * @param kept partitions that are as old, but have ticks that are live or ended lately
 * @param postponed partitions to be created or dropped that were in use; next time
 * @param ticksDeleted old ticks from outside the partitions by day
 * @param keysDeleted old trigger keys
 * @param replicasDeleted replicas that are gone for as long
 * @param unfinished whether there was more to do than one call does; the rest is for the next one
 */
public record LedgerMaintenanceReport(
    boolean worked,
    List<String> created,
    List<String> dropped,
    List<String> kept,
    List<String> postponed,
    long ticksDeleted,
    long keysDeleted,
    long replicasDeleted,
    boolean unfinished) {

  /** Copies the lists. */
  public LedgerMaintenanceReport {
    created = List.copyOf(created);
    dropped = List.copyOf(dropped);
    kept = List.copyOf(kept);
    postponed = List.copyOf(postponed);
  }

  /** Returns what this and a later piece of the same work did together. */
  LedgerMaintenanceReport and(LedgerMaintenanceReport next) {
    return new LedgerMaintenanceReport(
        worked || next.worked,
        concat(created, next.created),
        concat(dropped, next.dropped),
        next.kept,
        next.postponed,
        ticksDeleted + next.ticksDeleted,
        keysDeleted + next.keysDeleted,
        replicasDeleted + next.replicasDeleted,
        next.worked ? next.unfinished : unfinished);
  }

  private static List<String> concat(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }
}
