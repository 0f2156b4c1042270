package dev.monotick.schedule;

import static java.util.Objects.requireNonNull;

import dev.monotick.schedule.internal.LocalTimes;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * A cron expression in a time zone, with a stated answer for the hours that are left out and
 * repeated when clocks change.
 *
 * <p>Written with 5 fields (minute, hour, day of month, month, day of week), 6 (seconds first) or 7
 * (a year last). A schedule with fixed times, say 02:30, fires once a day whatever the clocks do:
 * {@link Gap} and {@link Overlap} say when. A schedule whose minute or hour field is {@code *} or a
 * step follows elapsed time: it fires whenever the local time matches, in both passes through a
 * repeated hour.
 *
 * <p>Immutable and thread-safe; {@link #zone}, {@link #gap}, {@link #overlap} and {@link #days}
 * return copies. Times lie between the years 0 and 9999.
 */
public final class Cron implements Schedule {

  private static final long MIN_SECOND = -(1L << 40);
  private static final long MAX_SECOND = 1L << 40;

  private final CronFields fields;
  private final ZoneId zone;
  private final Gap gap;
  private final Overlap overlap;
  private final Days days;
  private final String task;
  private final ZonedTimes times;

  private Cron(CronFields fields, ZoneId zone, Gap gap, Overlap overlap, Days days, String task) {
    this.fields = fields;
    this.zone = zone;
    this.gap = gap;
    this.overlap = overlap;
    this.days = days;
    this.task = task;
    LocalTimes local = fields.times(days);
    boolean elapsed = fields.followsElapsedTime();
    this.times =
        new ZonedTimes(
            local, zone.getRules(), elapsed ? Gap.SKIP : gap, elapsed ? Overlap.BOTH : overlap);
    boolean never =
        local.hasYears() ? times.atOrAfter(MIN_SECOND) == ZonedTimes.NONE : !local.isSatisfiable();
    if (never) {
      throw new ScheduleSyntaxException(
          fields.text(),
          CronFieldKind.DAY_OF_MONTH.label,
          0,
          "this never fires: no date matches " + fields.dayText() + " in " + zone,
          "choose days that exist, or another rule for joining the day fields (now "
              + days
              + ") or for skipped times (now "
              + gap
              + ")");
    }
  }

  /**
   * Reads an expression of 5, 6 or 7 fields, or a macro such as {@code @daily}, in UTC.
   *
   * @throws ScheduleSyntaxException if it can't be read, is ambiguous, or never fires
   */
  public static Cron of(String expression) {
    return of(expression, CronDialect.STANDARD);
  }

  /**
   * Reads an expression as Quartz has it, in UTC: 6 or 7 fields, weekdays from 1 = Sunday, and
   * exactly one {@code ?} in the two day fields.
   *
   * @throws ScheduleSyntaxException if it can't be read, or never fires
   */
  public static Cron quartz(String expression) {
    return of(expression, CronDialect.QUARTZ);
  }

  /**
   * Reads an expression as crontab(5) has it, in UTC: 5 fields, no extensions.
   *
   * @throws ScheduleSyntaxException if it can't be read, or never fires
   */
  public static Cron unix(String expression) {
    return of(expression, CronDialect.UNIX);
  }

  static Cron of(String expression, CronDialect dialect) {
    CronFields fields = CronParser.parse(requireNonNull(expression), dialect, "");
    return new Cron(fields, ZoneOffset.UTC, Gap.RUN_AT_GAP_END, Overlap.FIRST, Days.OR, "");
  }

  /** Returns this schedule in another zone; UTC unless told. */
  public Cron zone(ZoneId newZone) {
    return new Cron(fields, requireNonNull(newZone), gap, overlap, days, task);
  }

  /**
   * Returns this schedule in the zone of that IANA id.
   *
   * @throws ScheduleSyntaxException if there is no such zone; the message names the nearest one
   */
  public Cron zone(String id) {
    return zone(Zones.of(id));
  }

  /**
   * Returns this schedule with that rule for left-out times; run at the end of the gap if unset.
   */
  public Cron gap(Gap newGap) {
    return new Cron(fields, zone, requireNonNull(newGap), overlap, days, task);
  }

  /** Returns this schedule with that rule for repeated times; the first of them if unset. */
  public Cron overlap(Overlap newOverlap) {
    return new Cron(fields, zone, gap, requireNonNull(newOverlap), days, task);
  }

  /**
   * Returns this schedule with that rule for joining a restricted day of month and a restricted day
   * of week; either suffices if unset, as in cron.
   *
   * @throws ScheduleSyntaxException if no date matches both
   */
  public Cron days(Days newDays) {
    return new Cron(fields, zone, gap, overlap, requireNonNull(newDays), task);
  }

  /** Returns the expression in one spelling: upper case, single spaces. */
  public String expression() {
    return fields.text();
  }

  @Override
  public ZoneId zone() {
    return zone;
  }

  /** Returns the rule for left-out times. */
  public Gap gap() {
    return gap;
  }

  /** Returns the rule for repeated times. */
  public Overlap overlap() {
    return overlap;
  }

  /** Returns the rule for joining the two day fields. */
  public Days days() {
    return days;
  }

  /** True if the schedule has no fixed times and follows elapsed time when clocks change. */
  public boolean followsElapsedTime() {
    return fields.followsElapsedTime();
  }

  @Override
  public Optional<Instant> next(Instant after) {
    return instant(times.atOrAfter(clamp(after.getEpochSecond()) + 1));
  }

  @Override
  public Optional<Instant> previous(Instant before) {
    long second = clamp(before.getEpochSecond());
    return instant(times.atOrBefore(before.getNano() == 0 ? second - 1 : second));
  }

  @Override
  public long count(Instant from, Instant to) {
    long start = ceiling(from);
    long end = ceiling(to);
    return start >= end ? 0 : times.count(start, end);
  }

  @Override
  public Optional<Instant> first() {
    return fields.year().isAny() ? Optional.empty() : next(Instant.MIN);
  }

  @Override
  public Schedule forTask(String name) {
    if (!fields.isHashed() || name.equals(task)) {
      return this;
    }
    CronFields hashed = CronParser.parse(fields.text(), fields.dialect(), name);
    return new Cron(hashed, zone, gap, overlap, days, name);
  }

  private static Optional<Instant> instant(long second) {
    return second == ZonedTimes.NONE
        ? Optional.empty()
        : Optional.of(Instant.ofEpochSecond(second));
  }

  private static long ceiling(Instant time) {
    return clamp(time.getEpochSecond()) + (time.getNano() == 0 ? 0 : 1);
  }

  private static long clamp(long second) {
    return Math.min(Math.max(second, MIN_SECOND), MAX_SECOND);
  }

  @Override
  public String describe() {
    return CronDescriber.describe(this, fields);
  }

  /** Returns the text that {@link Schedule#parse} reads back. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(fields.text());
    if (fields.dialect() != CronDialect.STANDARD) {
      text.append("; dialect=").append(fields.dialect().label);
    }
    if (!zone.equals(ZoneOffset.UTC)) {
      text.append("; zone=").append(zone.getId());
    }
    if (gap != Gap.RUN_AT_GAP_END) {
      text.append("; gap=").append(gap);
    }
    if (overlap != Overlap.FIRST) {
      text.append("; overlap=").append(overlap);
    }
    if (days != Days.OR) {
      text.append("; days=").append(days);
    }
    if (!task.isEmpty()) {
      text.append("; task={").append(ScheduleText.escape(task)).append('}');
    }
    return text.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cron that && toString().equals(that.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /** What happens to a fixed time that is left out because the clocks go forward. */
  public enum Gap {
    /** Fires once, at the first instant after the gap. */
    RUN_AT_GAP_END,
    /** Does not fire. */
    SKIP
  }

  /** What happens to a fixed time that comes twice because the clocks go back. */
  public enum Overlap {
    /** Fires at the first of the two. */
    FIRST,
    /** Fires at the second of the two. */
    LAST,
    /** Fires at both. */
    BOTH
  }

  /** How a restricted day of month and a restricted day of week are joined. */
  public enum Days {
    /** A day that matches either field. */
    OR,
    /** A day that matches both fields. */
    AND
  }
}
