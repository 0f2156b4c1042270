package dev.monotick.server.schedule;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row for the ledger, as JSON has it on its way to the database.
 *
 * @param trigger empty for ticks of the schedule
 * @param count how many ticks it stands for
 * @param job the job it became
 * @param outcome how it ended; null while it has not
 * @param reason why it became no job, or failed
 */
record TickRow(
    UUID schedule,
    String nominal,
    String trigger,
    String tenant,
    long count,
    @Nullable Long job,
    @Nullable String outcome,
    @Nullable String reason) {

  static final String BACKFILL = "backfill";

  static TickRow fired(StoredSchedule of, Instant nominal, long job) {
    return triggered(of, nominal, "", job);
  }

  static TickRow triggered(StoredSchedule of, Instant nominal, String trigger, long job) {
    return new TickRow(of.id(), nominal.toString(), trigger, of.tenant(), 1, job, null, null);
  }

  /** One that waits for the end of the one before it. */
  static TickRow queued(StoredSchedule of, Instant nominal) {
    return new TickRow(of.id(), nominal.toString(), "", of.tenant(), 1, null, null, null);
  }

  static TickRow failed(StoredSchedule of, Instant nominal, String why) {
    return new TickRow(of.id(), nominal.toString(), "", of.tenant(), 1, null, "FAILED", why);
  }

  static TickRow passed(StoredSchedule of, Dues.Passed range) {
    return new TickRow(
        of.id(),
        range.first().toString(),
        "",
        of.tenant(),
        range.count(),
        null,
        range.reason().outcome(),
        range.reason().word());
  }

  boolean isFor(Reason why) {
    return why.word().equals(reason);
  }
}
