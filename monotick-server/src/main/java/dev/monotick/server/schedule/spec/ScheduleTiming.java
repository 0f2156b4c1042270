package dev.monotick.server.schedule.spec;

import dev.monotick.schedule.Cron;
import dev.monotick.schedule.ExclusionCalendar;
import dev.monotick.schedule.Schedule;
import dev.monotick.schedule.ScheduleSyntaxException;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When a schedule is due: by exactly one of {@code cron}, {@code every}, {@code fixedDelay} and
 * {@code at}.
 *
 * @param cron an expression of 5 or 6 fields, or a macro
 * @param zone whose hours a cron expression and exclusions mean; UTC if not given
 * @param gap what happens to times that are left out when clocks go forward
 * @param overlap what happens to times that come twice when clocks go back
 * @param every a duration, aligned to the epoch
 * @param fixedDelay a duration, from the end of the job of one tick to the next tick
 * @param at one moment
 * @param from no tick before that
 * @param until no tick from that on
 * @param exclusions days without ticks: {@code 2026-12-25}, {@code 2026-12-24..2027-01-01}, {@code
 *     2026-12-25/yearly} or {@code SAT}
 */
public record ScheduleTiming(
    @Nullable String cron,
    @Nullable String zone,
    Cron.@Nullable Gap gap,
    Cron.@Nullable Overlap overlap,
    @Nullable String every,
    @Nullable String fixedDelay,
    @Nullable String at,
    @Nullable String from,
    @Nullable String until,
    @Nullable List<String> exclusions) {

  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final int MOST_EXCLUSIONS = 1_000;

  /**
   * Returns the times; refuses, under the field's name, what cannot be.
   *
   * @param name what H in a cron expression is a hash of
   */
  public Schedule schedule(String name) {
    Schedule schedule = plain().forTask(name);
    if (exclusions != null && !exclusions.isEmpty()) {
      Schedule all = schedule;
      ZoneId days = zoneId();
      schedule = checked("exclusions", () -> all.except(calendar(exclusions), days));
    }
    if (from != null) {
      Schedule all = schedule;
      Instant start = RequestFields.instant("from", from);
      schedule = checked("from", () -> all.from(start));
    }
    if (until != null) {
      Schedule all = schedule;
      Instant end = RequestFields.instant("until", until);
      schedule = checked("until", () -> all.until(end));
    }
    return schedule;
  }

  private Schedule plain() {
    long given = Stream.of(cron, every, fixedDelay, at).filter(each -> each != null).count();
    if (given != 1) {
      throw Problem.invalid(
          "cron",
          "exactly one of cron, every, fixedDelay and at says when it is due, but "
              + given
              + " were given; keep one");
    }
    if (cron == null && (gap != null || overlap != null)) {
      throw Problem.invalid(
          gap != null ? "gap" : "overlap", "gap and overlap belong to cron; leave them out");
    }
    if (every != null) {
      return interval("every", every, Schedule::every);
    }
    if (fixedDelay != null) {
      refuseBounds();
      return interval("fixedDelay", fixedDelay, Schedule::fixedDelay);
    }
    if (at != null) {
      Instant moment = RequestFields.instant("at", at);
      return checked("at", () -> Schedule.once(moment));
    }
    return expression(RequestFields.required("cron", cron));
  }

  private static Schedule interval(
      String field, String text, Function<Duration, Schedule> schedule) {
    Duration interval = RequestFields.duration(field, text);
    if (interval.compareTo(SHORTEST) < 0) {
      throw Problem.invalid(field, field + " must be at least " + SHORTEST + ", but was " + text);
    }
    return checked(field, () -> schedule.apply(interval));
  }

  /** The ends of runs are facts; nobody can say beforehand which of them a bound leaves out. */
  private void refuseBounds() {
    String field =
        from != null
            ? "from"
            : until != null
                ? "until"
                : exclusions != null && !exclusions.isEmpty() ? "exclusions" : "";
    if (!field.isEmpty()) {
      throw Problem.invalid(
          field, field + " cannot be given with fixedDelay; leave it out, or use every or cron");
    }
  }

  private Schedule expression(String text) {
    ZoneId zoneId = zoneId();
    Schedule schedule = checked("cron", () -> Schedule.cron(text, zoneId));
    if (schedule instanceof Cron given) {
      return checked(
          "gap",
          () ->
              given
                  .gap(gap == null ? Cron.Gap.RUN_AT_GAP_END : gap)
                  .overlap(overlap == null ? Cron.Overlap.FIRST : overlap));
    }
    throw Problem.invalid("cron", "give an interval as every: PT1M30S, not as cron: " + text);
  }

  /** Returns the zone that dates and hours are in. */
  public ZoneId zoneId() {
    return zone == null ? ZoneOffset.UTC : checked("zone", () -> Schedule.zoneOf(zone));
  }

  /** What core says of a schedule is several lines, for a terminal; problems have one sentence. */
  private static <T> T checked(String field, java.util.function.Supplier<T> read) {
    try {
      return read.get();
    } catch (ScheduleSyntaxException e) {
      throw Problem.invalid(field, field + ": " + e.getMessage())
          .with("position", e.position())
          .with("part", e.field());
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(field, field + ": " + e.getMessage());
    }
  }

  private static ExclusionCalendar calendar(List<String> items) {
    if (items.size() > MOST_EXCLUSIONS) {
      throw new IllegalArgumentException(
          "at most " + MOST_EXCLUSIONS + " can be excluded, but there are " + items.size());
    }
    return items.stream()
        .map(ExclusionDays::of)
        .reduce(ExclusionCalendar::plus)
        .orElseThrow(() -> new IllegalArgumentException("nothing is excluded"));
  }
}
