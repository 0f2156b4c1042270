package dev.monotick.schedule;

import dev.monotick.schedule.internal.LocalTimes;
import dev.monotick.schedule.internal.ZoneSpan;
import dev.monotick.schedule.internal.ZoneTimeline;
import java.time.zone.ZoneRules;

/**
 * The instants at which local times happen in a zone, with an answer for local times that are left
 * out or repeated when the clocks change.
 *
 * <p>The time line is cut into {@linkplain ZoneSpan spans} of one offset. Inside a span an instant
 * fires if its local time matches, except that
 *
 * <ul>
 *   <li>{@code FIRST} ignores the part of a span that repeats local times of the span before,
 *   <li>{@code LAST} ignores the part whose local times come again in the span after,
 *   <li>{@code RUN_AT_GAP_END} adds the first instant of a span if a local time left out right
 *       before it matches.
 * </ul>
 *
 * <p>Every question is answered from the instant asked about, without memory, and is right inside a
 * repeated hour too. Following elapsed time is the case {@code SKIP} with {@code BOTH}. All times
 * are whole seconds since the epoch.
 */
final class ZonedTimes {

  static final long NONE = LocalTimes.NONE;

  /** No change of an offset can move a local time further than this. */
  private static final long MARGIN = 2 * 86_400L;

  /** Where a new schedule starts to look; any time would do. */
  private static final long RECENT = 1_767_225_600L; // 2026-01-01T00:00:00Z

  private final LocalTimes times;
  private final ZoneTimeline timeline;
  private final boolean runAtGapEnd;
  private final Cron.Overlap overlap;

  /** The span asked about last: racy on purpose, see {@link ZoneSpan}. */
  private ZoneSpan recent;

  ZonedTimes(LocalTimes times, ZoneRules rules, Cron.Gap gap, Cron.Overlap overlap) {
    this.times = times;
    this.timeline = ZoneTimeline.of(rules);
    this.runAtGapEnd = gap == Cron.Gap.RUN_AT_GAP_END;
    this.overlap = overlap;
    this.recent = timeline.at(RECENT);
  }

  /** Returns the first fire at or after {@code second}, or {@link #NONE}. */
  long atOrAfter(long second) {
    long from = second;
    ZoneSpan span = span(from);
    while (true) {
      if (from <= span.start && firesAtGapEnd(span)) {
        return span.start;
      }
      long local = times.atOrAfter(Math.max(from, opens(span)) + span.offset);
      if (local == NONE && !repeatsLater(span)) {
        return NONE;
      }
      if (local != NONE && local - span.offset < closes(span)) {
        return local - span.offset;
      }
      if (span.isLast()) {
        return NONE;
      }
      // No local time before "local" matches: only a repetition right at the end of this span can
      // bring an earlier one back. Everything else until shortly before "local" can be left out.
      from = span.end;
      ZoneSpan following = span.next();
      long skipTo = local == NONE ? from : local - MARGIN;
      if (skipTo > following.end && !repeatsLater(span)) {
        from = skipTo;
        following = span(skipTo);
      }
      recent = following;
      span = following;
    }
  }

  /** Returns the last fire at or before {@code second}, or {@link #NONE}. */
  long atOrBefore(long second) {
    long to = second;
    ZoneSpan span = span(to);
    while (true) {
      long local = times.atOrBefore(Math.min(to, closes(span) - 1) + span.offset);
      if (local != NONE && local - span.offset >= opens(span)) {
        return local - span.offset;
      }
      if (firesAtGapEnd(span)) {
        return span.start;
      }
      if (span.isFirst() || (local == NONE && span.repeatingUntil == span.start)) {
        return NONE;
      }
      to = span.start - 1;
      ZoneSpan preceding = span.previous();
      long skipTo = local == NONE ? to : local + MARGIN;
      if (skipTo < preceding.start && span.repeatingUntil == span.start) {
        to = skipTo;
        preceding = span(skipTo);
      }
      recent = preceding;
      span = preceding;
    }
  }

  /** Counts the fires from {@code from} (inclusive) to {@code to} (exclusive), span by span. */
  long count(long from, long to) {
    long count = 0;
    ZoneSpan span = span(from);
    while (true) {
      long start = Math.max(from, opens(span));
      long end = Math.min(to, closes(span));
      if (start < end) {
        count += times.count(start + span.offset, end + span.offset);
      }
      if (from <= span.start && span.start < to && firesAtGapEnd(span)) {
        long local = span.start + span.offset;
        count += times.atOrAfter(local) == local ? 0 : 1; // else it is counted already
      }
      if (span.end >= to) {
        return count;
      }
      span = span.next();
    }
  }

  private boolean repeatsLater(ZoneSpan span) {
    return span.repeatedFrom < span.end;
  }

  private boolean firesAtGapEnd(ZoneSpan span) {
    if (!runAtGapEnd || span.gapBefore == 0) {
      return false;
    }
    long gapEnd = span.start + span.offset;
    long match = times.atOrAfter(gapEnd - span.gapBefore);
    return match != NONE && match < gapEnd;
  }

  private long opens(ZoneSpan span) {
    return overlap == Cron.Overlap.FIRST ? span.repeatingUntil : span.start;
  }

  private long closes(ZoneSpan span) {
    return overlap == Cron.Overlap.LAST ? span.repeatedFrom : span.end;
  }

  private ZoneSpan span(long second) {
    ZoneSpan span = recent;
    if (!span.contains(second)) {
      ZoneSpan near = span.neighbour(second);
      span = near == null ? timeline.at(second) : near;
      recent = span;
    }
    return span;
  }
}
