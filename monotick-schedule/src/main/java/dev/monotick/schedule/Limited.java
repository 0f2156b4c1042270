package dev.monotick.schedule;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * The first so many times of a schedule that has a beginning. The last of them is computed once, so
 * that every replica stops at the same time without counting what ran.
 */
final class Limited implements Schedule {

  private static final int MAXIMUM = 10_000;

  private final Schedule schedule;
  private final int runs;
  private final Instant end;

  Limited(Schedule schedule, int runs) {
    if (runs < 1 || runs > MAXIMUM) {
      throw new IllegalArgumentException(
          "maximumRuns must be 1 to "
              + MAXIMUM
              + ", but was "
              + runs
              + "; for more, give the schedule an end with until(..)");
    }
    if (schedule.anchor() == Anchor.LAST_END) {
      throw new IllegalArgumentException(
          "maximumRuns needs times that can be computed, but "
              + schedule
              + " counts from the ends of runs; give it an end with until(..)");
    }
    Instant last =
        schedule
            .first()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "maximumRuns counts from a beginning, but "
                            + schedule
                            + " has none; call from(..) first"));
    for (int run = 1; run < runs; run++) {
      Optional<Instant> next = schedule.next(last);
      if (next.isEmpty()) {
        break;
      }
      last = next.get();
    }
    this.schedule = schedule;
    this.runs = runs;
    this.end = last.plusMillis(1);
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return schedule.next(after).filter(time -> time.isBefore(end));
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    return schedule.previous(earlier(before));
  }

  @Override
  public long count(Instant from, Instant to) {
    return from.isBefore(earlier(to)) ? schedule.count(from, earlier(to)) : 0;
  }

  @Override
  public List<Instant> excluded(Instant from, Instant to, int limit) {
    return from.isBefore(earlier(to)) ? schedule.excluded(from, earlier(to), limit) : List.of();
  }

  private Instant earlier(Instant time) {
    return time.isAfter(end) ? end : time;
  }

  @Override
  public Optional<Instant> first() {
    return schedule.first();
  }

  @Override
  public ZoneId zone() {
    return schedule.zone();
  }

  @Override
  public Schedule forTask(String name) {
    return new Limited(schedule.forTask(name), runs);
  }

  @Override
  public String describe() {
    return schedule.describe() + "; at most " + (runs == 1 ? "once" : runs + " times");
  }

  @Override
  public String toString() {
    return ScheduleText.base(schedule) + "; maximum=" + runs;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Limited that && runs == that.runs && schedule.equals(that.schedule);
  }

  @Override
  public int hashCode() {
    return 31 * schedule.hashCode() + runs;
  }
}
