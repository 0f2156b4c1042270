package dev.monotick.schedule.internal;

import java.time.Instant;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of time in which a zone keeps one offset. Spans know their neighbours once somebody
 * asked for them, so that walking over a change of the clocks costs nothing the second time. All
 * times are seconds since the epoch.
 */
public final class ZoneSpan {

  /** Far outside of every year a schedule looks at, and safe to add offsets to. */
  private static final long FOREVER = 1L << 50;

  private final ZoneRules rules;
  public final long start;
  public final long end;
  public final int offset;

  /** How many local seconds were left out when this span began; 0 if none were. */
  public final int gapBefore;

  /** Until here the local times of the span before are repeated; {@link #start} if they are not. */
  public final long repeatingUntil;

  /** From here on local times come again in the next span; {@link #end} if they do not. */
  public final long repeatedFrom;

  // Racy on purpose: a span is immutable otherwise, and a lost write means computing it again.
  private @Nullable ZoneSpan next;
  private @Nullable ZoneSpan previous;

  private ZoneSpan(
      ZoneRules rules,
      @Nullable ZoneOffsetTransition before,
      @Nullable ZoneOffsetTransition after,
      int offset) {
    this.rules = rules;
    this.offset = offset;
    this.start = before == null ? -FOREVER : before.toEpochSecond();
    this.end = after == null ? FOREVER : after.toEpochSecond();
    int changeBefore = before == null ? 0 : (int) before.getDuration().toSeconds();
    int changeAfter = after == null ? 0 : (int) after.getDuration().toSeconds();
    this.gapBefore = Math.max(0, changeBefore);
    this.repeatingUntil = Math.min(end, start + Math.max(0, -changeBefore));
    this.repeatedFrom = Math.max(start, end - Math.max(0, -changeAfter));
  }

  /** Returns the span that contains {@code second}. */
  static ZoneSpan at(ZoneRules rules, long second) {
    Instant instant = Instant.ofEpochSecond(second);
    ZoneOffsetTransition after = rules.nextTransition(instant);
    ZoneOffsetTransition before = rules.previousTransition(instant.plusSeconds(1));
    return new ZoneSpan(rules, before, after, rules.getOffset(instant).getTotalSeconds());
  }

  public boolean contains(long second) {
    return second >= start && second < end;
  }

  public boolean isLast() {
    return end == FOREVER;
  }

  public boolean isFirst() {
    return start == -FOREVER;
  }

  /** Returns the span after this one; must not be called on the last. */
  public ZoneSpan next() {
    ZoneSpan known = next;
    if (known == null) {
      known = at(rules, end);
      known.previous = this;
      next = known;
    }
    return known;
  }

  /** Returns the span before this one; must not be called on the first. */
  public ZoneSpan previous() {
    ZoneSpan known = previous;
    if (known == null) {
      known = at(rules, start - 1);
      known.next = this;
      previous = known;
    }
    return known;
  }

  /** Returns the span before or after this one if it is known and contains {@code second}. */
  @Nullable
  public ZoneSpan neighbour(long second) {
    ZoneSpan known = second >= end ? next : previous;
    return known != null && known.contains(second) ? known : null;
  }
}
