package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Cron against an oracle that looks at every minute, in every zone and at every clock change. */
class CronPropertyTest {

  private static final Instant FIRST = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("2041-01-01T00:00:00Z");
  private static final Cron.Gap[] GAPS = Cron.Gap.values();
  private static final Cron.Overlap[] OVERLAPS = Cron.Overlap.values();

  @Test
  void everyTransitionOfEveryZoneAgreesWithTheOracle() {
    Random random = Seeds.random("transitions");
    int transitions = 0;
    for (ZoneId zone : distinctZones()) {
      ZoneRules rules = zone.getRules();
      ZoneOffsetTransition change = rules.nextTransition(FIRST);
      while (change != null && change.getInstant().isBefore(LAST)) {
        transitions++;
        RandomCron cron = RandomCron.near(random, change.getDateTimeBefore());
        long reach = Math.abs(change.getDuration().toMinutes()) + 150;
        Instant middle = change.getInstant();
        check(
            random,
            cron,
            zone,
            middle.minus(Duration.ofMinutes(reach)),
            middle.plus(Duration.ofMinutes(reach)),
            60,
            Cron.Days.OR);
        change = rules.nextTransition(middle);
      }
    }
    assertThat(transitions).as("transitions looked at").isGreaterThan(10_000);
  }

  @Test
  void thousandsOfRandomExpressionsAgreeWithTheOracleMinuteByMinute() {
    Random random = Seeds.random("minutes");
    List<ZoneId> zones = distinctZones();
    int looked = 0;
    for (int i = 0; i < 4000; i++) {
      Cron.Days rule = random.nextBoolean() ? Cron.Days.OR : Cron.Days.AND;
      RandomCron cron = RandomCron.any(random, false, rule);
      ZoneId zone = zones.get(random.nextInt(zones.size()));
      Instant from = minute(random);
      looked += check(random, cron, zone, from, from.plus(Duration.ofDays(35)), 60, rule);
    }
    assertThat(looked).as("expressions that ever fire").isGreaterThan(3000);
  }

  @Test
  void randomExpressionsWithSecondsAgreeWithTheOracleSecondBySecond() {
    Random random = Seeds.random("seconds");
    List<ZoneId> zones = distinctZones();
    for (int i = 0; i < 300; i++) {
      RandomCron cron = RandomCron.any(random, true, Cron.Days.OR);
      ZoneId zone = zones.get(random.nextInt(zones.size()));
      ZoneOffsetTransition change = zone.getRules().nextTransition(minute(random));
      Instant middle = change == null ? minute(random) : change.getInstant();
      check(
          random,
          cron,
          zone,
          middle.minus(Duration.ofHours(3)),
          middle.plus(Duration.ofHours(3)),
          1,
          Cron.Days.OR);
    }
  }

  @Test
  void nextAndPreviousAreInverseOverDecades() {
    Random random = Seeds.random("inverse");
    List<ZoneId> zones = distinctZones();
    for (int i = 0; i < 3000; i++) {
      Cron.Days rule = random.nextBoolean() ? Cron.Days.OR : Cron.Days.AND;
      RandomCron model = RandomCron.any(random, random.nextBoolean(), rule);
      ZoneId zone = zones.get(random.nextInt(zones.size()));
      Optional<Cron> parsed = create(model, zone, random, rule);
      if (parsed.isEmpty()) {
        continue;
      }
      Cron cron = parsed.get();
      String label = cron + ", " + Seeds.hint();
      Instant start = minute(random);
      Instant time = start;
      for (int step = 0; step < 20; step++) {
        Optional<Instant> next = cron.next(time);
        if (next.isEmpty()) {
          break; // a rare date beyond the year 9999, or a day that a zone skips
        }
        assertThat(next.get()).as(label).isAfter(time);
        assertThat(cron.previous(next.get().plusSeconds(1))).as(label).isEqualTo(next);
        assertThat(cron.previous(next.get().plusNanos(1))).as(label).isEqualTo(next);
        assertThat(cron.next(next.get().minusNanos(1))).as(label).isEqualTo(next);
        if (step > 0) {
          assertThat(cron.previous(next.get())).as(label).contains(time);
          assertThat(cron.count(time, next.get())).as(label).isEqualTo(1);
        }
        time = next.get();
      }
      if (time.isAfter(start)) {
        assertThat(cron.count(start.plusNanos(1), time))
            .as(label)
            .isEqualTo(cron.between(start.plusNanos(1), time, 1000).size());
      }
    }
  }

  /** Returns 1 if there was something to compare. */
  private static int check(
      Random random,
      RandomCron model,
      ZoneId zone,
      Instant from,
      Instant to,
      int step,
      Cron.Days rule) {
    Cron.Gap gap = GAPS[random.nextInt(GAPS.length)];
    Cron.Overlap overlap = OVERLAPS[random.nextInt(OVERLAPS.length)];
    Optional<Cron> parsed = create(model, zone, random, rule);
    if (parsed.isEmpty()) {
      return 0;
    }
    Cron cron = parsed.get().gap(gap).overlap(overlap);
    List<Instant> expected = new CronOracle(model, zone, gap, overlap, step).fires(from, to);
    String label = cron + " from " + from + " to " + to + ", " + Seeds.hint();

    List<Instant> actual = new ArrayList<>();
    Optional<Instant> time = cron.next(from.minusNanos(1));
    while (time.isPresent() && time.get().isBefore(to)) {
      actual.add(time.get());
      time = cron.next(time.get());
    }
    if (!actual.equals(expected)) { // AssertJ's own comparison of long lists is slow
      assertThat(actual).as(label).isEqualTo(expected);
    }
    List<Instant> backwards = new ArrayList<>();
    time = cron.previous(to);
    while (time.isPresent() && !time.get().isBefore(from)) {
      backwards.add(time.get());
      time = cron.previous(time.get());
    }
    Collections.reverse(backwards);
    if (!backwards.equals(expected)) {
      assertThat(backwards).as(label).isEqualTo(expected);
    }
    if (cron.count(from, to) != expected.size()) {
      assertThat(cron.count(from, to)).as(label).isEqualTo(expected.size());
    }
    TreeSet<Instant> set = new TreeSet<>(expected);
    long length = Duration.between(from, to).toSeconds();
    for (int i = 0; i < 10; i++) {
      Instant inside = from.plusSeconds((long) (random.nextDouble() * length));
      Instant higher = set.higher(inside);
      Instant lower = set.lower(inside);
      Optional<Instant> next = cron.next(inside).filter(t -> t.isBefore(to));
      Optional<Instant> previous = cron.previous(inside).filter(t -> !t.isBefore(from));
      if (!next.equals(Optional.ofNullable(higher))
          || !previous.equals(Optional.ofNullable(lower))
          || cron.count(from, inside) != set.headSet(inside).size()) {
        assertThat(next)
            .as("next of " + inside + " " + label)
            .isEqualTo(Optional.ofNullable(higher));
        assertThat(previous)
            .as("previous of " + inside + " " + label)
            .isEqualTo(Optional.ofNullable(lower));
        assertThat(cron.count(from, inside)).as(label).isEqualTo(set.headSet(inside).size());
      }
    }
    return 1;
  }

  /** Empty if no date matches, which is then checked too. */
  private static Optional<Cron> create(
      RandomCron model, ZoneId zone, Random random, Cron.Days rule) {
    try {
      return Optional.of(Cron.of(model.text).zone(zone).days(rule));
    } catch (ScheduleSyntaxException refusal) {
      String label = model.text + ", " + Seeds.hint();
      assertThat(refusal).as(label).hasMessageContaining("never fires");
      LocalDate day = LocalDate.of(1990 + random.nextInt(10), 1, 1);
      LocalDate end = day.plusYears(45); // 29 February has been every weekday by then
      while (day.isBefore(end)) {
        assertThat(model.matchesDay(day)).as(label).isFalse();
        day = day.plusDays(1);
      }
      return Optional.empty();
    }
  }

  private static Instant minute(Random random) {
    long minutes = Duration.between(FIRST, LAST).toMinutes();
    return FIRST.plus(Duration.ofMinutes((long) (random.nextDouble() * minutes)));
  }

  /** All zones, with those that have the same rules counted once. */
  private static List<ZoneId> distinctZones() {
    Map<ZoneRules, ZoneId> zones = new LinkedHashMap<>();
    for (String id : new TreeSet<>(ZoneId.getAvailableZoneIds())) {
      zones.putIfAbsent(ZoneId.of(id).getRules(), ZoneId.of(id));
    }
    assertThat(zones.size()).as("zones").isGreaterThan(300);
    return List.copyOf(zones.values());
  }
}
