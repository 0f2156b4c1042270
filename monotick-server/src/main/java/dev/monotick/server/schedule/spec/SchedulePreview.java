package dev.monotick.server.schedule.spec;

import dev.monotick.schedule.Schedule;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a schedule is due.
 *
 * @param description in words
 * @param zone whose local times are shown
 * @param times the next ones
 */
public record SchedulePreview(String description, String zone, List<Time> times) {

  /**
   * A nominal time.
   *
   * @param at the moment
   * @param local what clocks in the zone show
   * @param offset how far they are from UTC
   * @param remark what is special about it: clocks are changed at it, before it, or it comes twice
   */
  record Time(Instant at, String local, String offset, @Nullable String remark) {}

  public static SchedulePreview of(Schedule schedule, ZoneId zone, Instant after, int n) {
    List<Time> times = new ArrayList<>();
    ZoneRules rules = zone.getRules();
    if (schedule.anchor() == Schedule.Anchor.LAST_END) {
      return first(schedule, zone, after);
    }
    Instant before = after;
    Optional<Instant> next = schedule.next(after);
    while (next.isPresent() && times.size() < n) {
      Instant at = next.get();
      times.add(
          new Time(
              at,
              LocalDateTime.ofInstant(at, zone).toString(),
              rules.getOffset(at).toString(),
              remark(rules, before, at).orElse(null)));
      before = at;
      next = schedule.next(at);
    }
    return new SchedulePreview(schedule.describe(), zone.getId(), times);
  }

  /** When the others are depends on when its jobs end. */
  private static SchedulePreview first(Schedule schedule, ZoneId zone, Instant after) {
    List<Time> times =
        schedule.next(after).stream()
            .map(
                at ->
                    new Time(
                        at,
                        LocalDateTime.ofInstant(at, zone).toString(),
                        zone.getRules().getOffset(at).toString(),
                        "the first; the next follows the end of its job"))
            .toList();
    return new SchedulePreview(schedule.describe(), zone.getId(), times);
  }

  private static Optional<String> remark(ZoneRules rules, Instant before, Instant at) {
    ZoneOffsetTransition change = rules.previousTransition(at.plusNanos(1));
    LocalDateTime local = LocalDateTime.ofInstant(at, ZoneOffset.UTC);
    local = local.plusSeconds(rules.getOffset(at).getTotalSeconds());
    List<ZoneOffset> offsets = rules.getValidOffsets(local);
    if (offsets.size() == 2) {
      return Optional.of(
          local.toLocalTime()
              + " comes twice this day, as clocks go back; this is the "
              + (rules.getOffset(at).equals(offsets.get(0)) ? "first" : "second"));
    }
    if (change == null || !change.getInstant().isAfter(before)) {
      return Optional.empty();
    }
    String clocks =
        "clocks go "
            + (change.isGap() ? "forward" : "back")
            + " from "
            + change.getDateTimeBefore()
            + " to "
            + change.getDateTimeAfter();
    return Optional.of(
        change.isGap() && change.getInstant().equals(at)
            ? clocks + " at this moment; times between are left out and moved here"
            : clocks + " before this");
  }
}
