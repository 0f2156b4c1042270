package dev.monotick.server.schedule.fire;

import dev.monotick.schedule.Schedule;
import dev.monotick.server.schedule.spec.SchedulePlan;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Overlap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is to be done about the ticks of a schedule at a moment: those to run, and those that were
 * passed over, as ranges. A function of nominal times and policies; the clock only says which of
 * them are due.
 *
 * @param passed ranges that become no jobs, oldest first
 * @param runs nominal times that become jobs, oldest first
 * @param next nominal time of the tick after all of these; if that follows the end of a job, when
 *     it is if none of these becomes one
 * @param late whether there was an outage: the first of these was not fired in time
 */
public record DueTicks(
    List<SkippedTicks> passed, List<Instant> runs, Optional<Instant> next, boolean late) {

  /**
   * Ticks one after the other that nobody runs.
   *
   * @param first nominal time of the first
   * @param count how many
   * @param reason why
   */
  public record SkippedTicks(Instant first, long count, TickSkipReason reason) {}

  /** Looks at a schedule; what was paused until a moment that is over counts as resumed then. */
  static DueTicks of(ScheduleRow stored, SchedulePlan plan, Instant now) {
    List<SkippedTicks> passed = new ArrayList<>();
    Optional<Instant> first = stored.nextAt();
    if (stored.pausedUntil().isPresent()) {
      first =
          passOver(plan.times(), first, stored.pausedUntil().get(), TickSkipReason.PAUSED, passed);
    }
    // Where catch-up wants several ticks they wait for the end of the backoff; else it costs them.
    if (stored.notBefore().isPresent() && plan.catchUp().maximum() == 1 && !plan.followsEnds()) {
      first =
          passOver(plan.times(), first, stored.notBefore().get(), TickSkipReason.BACKOFF, passed);
    }
    if (first.isEmpty() || first.get().isAfter(now)) {
      return new DueTicks(passed, List.of(), first, false);
    }
    return due(plan, first.get(), now, passed);
  }

  /** Passes over the ticks from one on and before a moment; returns the next one. */
  public static Optional<Instant> passOver(
      Schedule times,
      Optional<Instant> first,
      Instant until,
      TickSkipReason reason,
      List<SkippedTicks> passed) {
    if (first.isEmpty() || !first.get().isBefore(until)) {
      return first;
    }
    passed.add(new SkippedTicks(first.get(), Math.max(1, times.count(first.get(), until)), reason));
    return times.next(until.minusNanos(1));
  }

  private static DueTicks due(
      SchedulePlan plan, Instant first, Instant now, List<SkippedTicks> passed) {
    Schedule times = plan.times();
    Instant latest = times.previous(now.plusNanos(1)).filter(t -> t.isAfter(first)).orElse(first);
    List<Instant> runs = new ArrayList<>();
    Optional<Instant> older = Optional.of(latest);
    while (older.isPresent()
        && !older.get().isBefore(first)
        && isWanted(plan, older.get(), runs.size(), now)) {
      runs.add(0, older.get());
      older = times.previous(older.get());
    }
    Instant until = runs.isEmpty() ? latest.plusNanos(1) : runs.get(0);
    if (first.isBefore(until)) {
      passed.add(
          new SkippedTicks(first, Math.max(1, times.count(first, until)), TickSkipReason.MISSED));
    }
    boolean late = first.isBefore(now.minus(CatchUp.ON_TIME));
    return new DueTicks(passed, runs, times.next(plan.followsEnds() ? now : latest), late);
  }

  /**
   * Where all may run at once, what is on time needs no catching up, however many there are.
   * Elsewhere the oldest of them would run, and the newest be skipped because of it.
   */
  private static boolean isWanted(SchedulePlan plan, Instant tick, int newer, Instant now) {
    CatchUp policy = plan.catchUp();
    boolean onTime = !tick.isBefore(now.minus(CatchUp.ON_TIME));
    return (onTime && plan.onOverlap() == Overlap.ALLOW)
        || (newer < policy.maximum() && !tick.isBefore(now.minus(policy.window())));
  }
}
