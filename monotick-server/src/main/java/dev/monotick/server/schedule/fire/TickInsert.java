package dev.monotick.server.schedule.fire;

import dev.monotick.server.schedule.spec.ScheduleRow;
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
public record TickInsert(
    UUID schedule,
    String nominal,
    String trigger,
    String tenant,
    long count,
    @Nullable Long job,
    @Nullable String outcome,
    @Nullable String reason,
    long fence) {

  public static final String BACKFILL = "backfill";

  static TickInsert fired(ScheduleRow of, Instant nominal, long job) {
    return triggered(of, nominal, "", job);
  }

  public static TickInsert triggered(ScheduleRow of, Instant nominal, String trigger, long job) {
    return one(of, nominal, trigger, job, null, null);
  }

  /** One that waits for the end of the one before it. */
  static TickInsert queued(ScheduleRow of, Instant nominal) {
    return one(of, nominal, "", null, null, null);
  }

  static TickInsert failed(ScheduleRow of, Instant nominal, String why) {
    return one(of, nominal, "", null, "FAILED", why);
  }

  private static TickInsert one(
      ScheduleRow of,
      Instant nominal,
      String trigger,
      @Nullable Long job,
      @Nullable String outcome,
      @Nullable String reason) {
    return new TickInsert(
        of.id(), nominal.toString(), trigger, of.tenant(), 1, job, outcome, reason, of.nextFence());
  }

  public static TickInsert passed(ScheduleRow of, DueTicks.SkippedTicks range) {
    return new TickInsert(
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

  boolean isFor(TickSkipReason why) {
    return why.word().equals(reason);
  }
}
