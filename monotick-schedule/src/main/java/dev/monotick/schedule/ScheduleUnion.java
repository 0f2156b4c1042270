package dev.monotick.schedule;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The times of several schedules; one that several of them have is one tick. */
record ScheduleUnion(List<Schedule> schedules) implements Schedule {

  ScheduleUnion {
    Set<Schedule> parts = new LinkedHashSet<>();
    for (Schedule schedule : schedules) {
      if (schedule.anchor() == Anchor.LAST_END) {
        throw new IllegalArgumentException(
            "a union needs times that can be computed, but "
                + schedule
                + " counts from the ends of runs; make it a task of its own");
      }
      if (schedule instanceof ScheduleUnion union) {
        parts.addAll(union.schedules());
      } else {
        parts.add(schedule);
      }
    }
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("a union needs at least one schedule, but had none");
    }
    schedules = List.copyOf(parts);
  }

  static Schedule of(List<Schedule> schedules) {
    ScheduleUnion union = new ScheduleUnion(schedules);
    return union.schedules().size() == 1 ? union.schedules().get(0) : union;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Optional<Instant> first = Optional.empty();
    for (Schedule schedule : schedules) {
      Optional<Instant> time = schedule.next(after);
      if (time.isPresent() && (first.isEmpty() || time.get().isBefore(first.get()))) {
        first = time;
      }
    }
    return first;
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    Optional<Instant> last = Optional.empty();
    for (Schedule schedule : schedules) {
      Optional<Instant> time = schedule.previous(before);
      if (time.isPresent() && (last.isEmpty() || time.get().isAfter(last.get()))) {
        last = time;
      }
    }
    return last;
  }

  @Override
  public List<Instant> excluded(Instant from, Instant to, int limit) {
    Set<Instant> times = new TreeSet<>();
    for (Schedule schedule : schedules) {
      times.addAll(schedule.excluded(from, to, limit));
    }
    List<Instant> excluded = new ArrayList<>();
    for (Instant time : times) {
      // What another part has at that time is fired, so not excluded.
      if (excluded.size() < limit && !next(time.minusNanos(1)).equals(Optional.of(time))) {
        excluded.add(time);
      }
    }
    return excluded;
  }

  @Override
  public Optional<Instant> first() {
    Optional<Instant> first = Optional.empty();
    for (Schedule schedule : schedules) {
      Optional<Instant> time = schedule.first();
      if (time.isEmpty()) {
        return time;
      }
      if (first.isEmpty() || time.get().isBefore(first.get())) {
        first = time;
      }
    }
    return first;
  }

  @Override
  public ZoneId zone() {
    return schedules.get(0).zone();
  }

  @Override
  public Schedule forTask(String name) {
    return of(schedules.stream().map(schedule -> schedule.forTask(name)).toList());
  }

  @Override
  public String describe() {
    return schedules.stream().map(Schedule::describe).collect(Collectors.joining("; also: "));
  }

  @Override
  public String toString() {
    return schedules.stream()
        .map(schedule -> "{" + schedule + "}")
        .collect(Collectors.joining(" or "));
  }
}
