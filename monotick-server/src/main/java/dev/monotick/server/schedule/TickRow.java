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
 * @param fence tells it from what is made of the schedule later
 */
record TickRow(
    UUID schedule,
    String nominal,
    String trigger,
    String tenant,
    long count,
    @Nullable Long job,
    @Nullable String outcome,
    @Nullable String reason,
    long fence) {

  static final String BACKFILL = "backfill";

  static TickRow fired(StoredSchedule of, Instant nominal, long job) {
    return triggered(of, nominal, "", job);
  }

  static TickRow triggered(StoredSchedule of, Instant nominal, String trigger, long job) {
    return one(of, nominal, trigger, job, null, null);
  }

  /** One that waits for the end of the one before it. */
  static TickRow queued(StoredSchedule of, Instant nominal) {
    return one(of, nominal, "", null, null, null);
  }

  static TickRow failed(StoredSchedule of, Instant nominal, String why) {
    return one(of, nominal, "", null, "FAILED", why);
  }

  private static TickRow one(
      StoredSchedule of,
      Instant nominal,
      String trigger,
      @Nullable Long job,
      @Nullable String outcome,
      @Nullable String reason) {
    return new TickRow(
        of.id(), nominal.toString(), trigger, of.tenant(), 1, job, outcome, reason, of.nextFence());
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
        range.reason().word(),
        of.nextFence());
  }

  boolean isFor(Reason why) {
    return why.word().equals(reason);
  }
}
