package dev.monotick.schedule;

import dev.monotick.schedule.internal.Instants;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A schedule with a beginning, an end, or both.
 *
 * @param from the first instant that counts; null for no beginning
 * @param until the first instant that counts no more; null for no end
 */
record Bounded(Schedule schedule, @Nullable Instant from, @Nullable Instant until)
    implements Schedule {

  Bounded {
    boolean empty = from != null && until != null && !from.isBefore(until);
    if (!empty && schedule.anchor() == Anchor.NOMINAL) {
      Instant start = from == null ? Instant.MIN : Instants.justBefore(from);
      Optional<Instant> next = schedule.next(start);
      empty = next.isEmpty() || (until != null && !next.get().isBefore(until));
    }
    if (empty) {
      throw new IllegalArgumentException(
          "this never fires: "
              + schedule
              + " has no time from "
              + (from == null ? "the beginning" : from)
              + " until "
              + (until == null ? "the end" : until)
              + "; widen the bounds");
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Optional<Instant> next;
    if (from == null || !after.isBefore(from)) {
      next = schedule.next(after);
    } else if (anchor() == Anchor.LAST_END) {
      Instant begin = from;
      next = schedule.next(after).map(due -> due.isBefore(begin) ? begin : due);
    } else {
      next = schedule.next(Instants.justBefore(from));
    }
    Instant end = until;
    return end == null ? next : next.filter(time -> time.isBefore(end));
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    Optional<Instant> previous =
        schedule.previous(until != null && before.isAfter(until) ? until : before);
    Instant begin = from;
    return begin == null ? previous : previous.filter(time -> !time.isBefore(begin));
  }

  @Override
  public long count(Instant start, Instant end) {
    Instant low = later(start);
    Instant high = earlier(end);
    return low.isBefore(high) ? schedule.count(low, high) : 0;
  }

  @Override
  public List<Instant> excluded(Instant start, Instant end, int limit) {
    Instant low = later(start);
    Instant high = earlier(end);
    return low.isBefore(high) ? schedule.excluded(low, high, limit) : List.of();
  }

  private Instant later(Instant start) {
    return from != null && start.isBefore(from) ? from : start;
  }

  private Instant earlier(Instant end) {
    return until != null && end.isAfter(until) ? until : end;
  }

  @Override
  public Optional<Instant> first() {
    return from == null ? schedule.first() : next(Instants.justBefore(from));
  }

  @Override
  public Schedule from(Instant start) {
    return new Bounded(schedule, later(start), until);
  }

  @Override
  public Schedule until(Instant end) {
    return new Bounded(schedule, from, earlier(end));
  }

  @Override
  public Anchor anchor() {
    return schedule.anchor();
  }

  @Override
  public ZoneId zone() {
    return schedule.zone();
  }

  @Override
  public Schedule forTask(String name) {
    return new Bounded(schedule.forTask(name), from, until);
  }

  @Override
  public String describe() {
    return schedule.describe()
        + (from == null ? "" : "; from " + from)
        + (until == null ? "" : "; until before " + until);
  }

  @Override
  public String toString() {
    return ScheduleText.base(schedule)
        + (from == null ? "" : "; from=" + from)
        + (until == null ? "" : "; until=" + until);
  }
}
