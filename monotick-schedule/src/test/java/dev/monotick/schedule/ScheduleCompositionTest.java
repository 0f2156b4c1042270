package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounds, maxima, unions and exclusion calendars. */
class ScheduleCompositionTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z"); // a Thursday
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Duration DAY = Duration.ofDays(1);

  @Test
  void boundsIncludeTheStartAndExcludeTheEnd() {
    Schedule hourly = Schedule.every(Duration.ofHours(1)).from(START).until(START.plus(DAY));
    assertThat(hourly.first()).contains(START);
    assertThat(hourly.next(Instant.EPOCH)).contains(START);
    assertThat(hourly.next(START.plus(Duration.ofHours(23)))).isEmpty();
    assertThat(hourly.previous(Instant.MAX)).contains(START.plus(Duration.ofHours(23)));
    assertThat(hourly.previous(START)).isEmpty();
    assertThat(hourly.count(Instant.MIN, Instant.MAX)).isEqualTo(24);
    assertThat(hourly.from(START.plusSeconds(1)).first()).contains(START.plusSeconds(3600));
  }

  @Test
  void boundsThatLeaveNothingAreRefused() {
    Schedule daily = Schedule.cron("0 12 * * *");
    assertThatThrownBy(() -> daily.from(START).until(START.plusSeconds(60)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("never fires");
    assertThatThrownBy(() -> Schedule.once(START).from(START.plusSeconds(1)))
        .hasMessageContaining("never fires");
    assertThatThrownBy(() -> Schedule.cron("0 0 0 1 1 ? 2027").until(START))
        .hasMessageContaining("never fires");
  }

  @Test
  void fixedDelayCountsFromTheEndOfTheLastRunAndKeepsItsBounds() {
    Schedule delay = Schedule.fixedDelay(Duration.ofMinutes(5));
    assertThat(delay.anchor()).isEqualTo(Schedule.Anchor.LAST_END);
    assertThat(delay.next(START.plusNanos(1))).contains(START.plusSeconds(300).plusMillis(1));
    Schedule bounded = delay.from(START).until(START.plus(DAY));
    assertThat(bounded.next(START.minusSeconds(9999))).contains(START);
    assertThat(bounded.next(START.plusSeconds(1))).contains(START.plusSeconds(301));
    assertThat(bounded.next(START.plus(DAY).minusSeconds(300))).isEmpty();
    assertThat(delay.count(START, START.plus(DAY))).isZero();
  }

  @Test
  void maximumRunsCountsFromTheBeginning() {
    Schedule three = Schedule.cron("0 12 * * *").from(START).maximumRuns(3);
    assertThat(three.between(Instant.MIN, Instant.MAX, 100))
        .containsExactly(
            Instant.parse("2026-01-01T12:00:00Z"),
            Instant.parse("2026-01-02T12:00:00Z"),
            Instant.parse("2026-01-03T12:00:00Z"));
    assertThat(three.count(Instant.MIN, Instant.MAX)).isEqualTo(3);
    assertThat(three.previous(Instant.MAX)).contains(Instant.parse("2026-01-03T12:00:00Z"));
    assertThatThrownBy(() -> Schedule.cron("@daily").maximumRuns(3))
        .hasMessageContaining("call from(..) first");
    assertThatThrownBy(() -> Schedule.fixedDelay(DAY).maximumRuns(3))
        .hasMessageContaining("until(..)");
    assertThat(Schedule.once(START).maximumRuns(5).count(Instant.MIN, Instant.MAX)).isEqualTo(1);
  }

  @Test
  void unionHasTheTimesOfAllAndEachOnce() {
    Schedule union =
        Schedule.union(
            Schedule.cron("0 0 * * *"),
            Schedule.every(Duration.ofHours(6)),
            Schedule.once(START.plusSeconds(1)));
    assertThat(union.between(START, START.plus(DAY), 10))
        .containsExactly(
            START,
            START.plusSeconds(1),
            START.plus(Duration.ofHours(6)),
            START.plus(Duration.ofHours(12)),
            START.plus(Duration.ofHours(18)));
    assertThat(union.count(START, START.plus(DAY))).isEqualTo(5);
    assertThat(union.previous(START.plusSeconds(2))).contains(START.plusSeconds(1));
    assertThatThrownBy(() -> union.or(Schedule.fixedDelay(DAY)))
        .hasMessageContaining("a task of its own");
  }

  @Test
  void excludedDaysDoNotFireButCanBeAskedFor() {
    Schedule daily =
        Schedule.cron("0 12 * * *", BERLIN)
            .except(
                ExclusionCalendar.businessDays()
                    .plus(ExclusionCalendar.dates(LocalDate.of(2026, 1, 1))));
    Instant end = START.plus(Duration.ofDays(7));
    assertThat(daily.between(START, end, 100))
        .containsExactly(
            Instant.parse("2026-01-02T11:00:00Z"),
            Instant.parse("2026-01-05T11:00:00Z"),
            Instant.parse("2026-01-06T11:00:00Z"),
            Instant.parse("2026-01-07T11:00:00Z"));
    assertThat(daily.excluded(START, end, 100))
        .containsExactly(
            Instant.parse("2026-01-01T11:00:00Z"),
            Instant.parse("2026-01-03T11:00:00Z"),
            Instant.parse("2026-01-04T11:00:00Z"));
    assertThat(daily.excluded(START, end, 2)).hasSize(2);
    assertThat(daily.count(START, end)).isEqualTo(4);
    assertThat(daily.previous(Instant.parse("2026-01-05T11:00:00Z")))
        .contains(Instant.parse("2026-01-02T11:00:00Z"));
  }

  @Test
  void whatAnotherPartOfAUnionFiresIsNotExcluded() {
    Schedule both =
        Schedule.cron("0 12 * * *")
            .except(ExclusionCalendar.weekdays(DayOfWeek.FRIDAY, DayOfWeek.SATURDAY))
            .or(Schedule.cron("0 12 * * FRI"));
    assertThat(both.excluded(START, START.plus(Duration.ofDays(7)), 10))
        .containsExactly(Instant.parse("2026-01-03T12:00:00Z"));
  }

  @Test
  void calendarDatesAreDatesInTheSchedulesZone() {
    ExclusionCalendar newYear = ExclusionCalendar.dates(LocalDate.of(2026, 1, 1));
    Instant lateInBerlin = Instant.parse("2025-12-31T23:30:00Z"); // already the first there
    Schedule cron = Schedule.cron("30 * * * *", BERLIN).except(newYear);
    assertThat(cron.next(lateInBerlin.minusSeconds(1)))
        .contains(Instant.parse("2026-01-01T23:30:00Z"));
    Schedule utc = Schedule.cron("30 * * * *", BERLIN).except(newYear, ZoneId.of("UTC"));
    assertThat(utc.next(lateInBerlin.minusSeconds(1))).contains(lateInBerlin);
  }

  @Test
  void calendarThatExcludesEverythingIsRefused() {
    assertThatThrownBy(() -> ExclusionCalendar.weekdays(DayOfWeek.values()))
        .hasMessageContaining("at least one weekday");
    assertThatThrownBy(
            () -> Schedule.cron("0 0 * * SUN").except(ExclusionCalendar.weekdays(DayOfWeek.SUNDAY)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("never fires");
    assertThatThrownBy(
            () -> Schedule.cron("@daily").except(ExclusionCalendar.matching("all", date -> true)))
        .hasMessageContaining("never fires");
  }

  @Test
  void countWithACalendarEqualsTheWalk() {
    Random random = Seeds.random("calendar");
    for (int i = 0; i < 200; i++) {
      LocalDate first = LocalDate.of(2025, 1, 1).plusDays(random.nextInt(700));
      ExclusionCalendar calendar =
          ExclusionCalendar.range(first, first.plusDays(random.nextInt(40)))
              .plus(ExclusionCalendar.weekdays(DayOfWeek.of(1 + random.nextInt(7))))
              .plus(ExclusionCalendar.yearly(LocalDate.of(2024, 2, 29)))
              .plus(ExclusionCalendar.matching("odd", date -> date.getDayOfYear() % 9 == 0));
      Schedule base = Schedule.cron("0 */7 * * *", BERLIN);
      Schedule schedule = base.except(calendar);
      Instant from = START.plusSeconds(random.nextInt(10_000_000));
      Instant to = from.plusSeconds(random.nextInt(10_000_000));
      List<Instant> fires = schedule.between(from, to, 10_000);
      List<Instant> excluded = schedule.excluded(from, to, 10_000);
      assertThat(schedule.count(from, to)).as(Seeds.hint()).isEqualTo(fires.size());
      List<Instant> all = new ArrayList<>(fires);
      all.addAll(excluded);
      all.sort(null);
      assertThat(all).as(Seeds.hint()).isEqualTo(base.between(from, to, 10_000));
      Optional<Instant> back = schedule.previous(to);
      for (int fire = fires.size() - 1; fire >= 0; fire--) {
        assertThat(back).as(Seeds.hint()).contains(fires.get(fire));
        back = schedule.previous(fires.get(fire));
      }
    }
  }

  @Test
  void holidayFileIsRead(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("holidays.ics");
    Files.writeString(
        file,
        """
        BEGIN:VCALENDAR
        VERSION:2.0
        BEGIN:VEVENT
        SUMMARY:New Year
        DTSTART;VALUE=DATE:20200101
        RRULE:FREQ=YEARLY
        END:VEVENT
        BEGIN:VEVENT
        SUMMARY:Two days off\\, with a very long
          description
        DTSTART;VALUE=DATE:20260404
        DTEND;VALUE=DATE:20260406
        END:VEVENT
        BEGIN:VEVENT
        SUMMARY:Not this one
        STATUS:CANCELLED
        DTSTART;VALUE=DATE:20260601
        END:VEVENT
        BEGIN:VEVENT
        DTSTART:20260701T000000
        DURATION:P2D
        END:VEVENT
        BEGIN:VEVENT
        DTSTART;VALUE=DATE:20240901
        RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=9
        EXDATE;VALUE=DATE:20250901
        END:VEVENT
        END:VCALENDAR
        """);
    ExclusionCalendar calendar = ExclusionCalendar.ics(file);
    assertThat(
            LocalDate.of(2024, 1, 1)
                .datesUntil(LocalDate.of(2028, 1, 1))
                .filter(calendar::excludes)
                .map(LocalDate::toString))
        .containsExactly(
            "2024-01-01",
            "2024-09-01",
            "2025-01-01",
            "2026-01-01",
            "2026-04-04",
            "2026-04-05",
            "2026-07-01",
            "2026-07-02",
            "2026-09-01",
            "2027-01-01");
    assertThat(Schedule.cron("0 9 * * *").except(calendar).next(START.minusSeconds(1)))
        .contains(Instant.parse("2026-01-02T09:00:00Z"));
  }

  @Test
  void holidayFileThatWouldHaveToBeGuessedAtIsRefusedWithTheLine() {
    assertThatThrownBy(() -> ExclusionCalendar.ics(event("DTSTART:20260101T090000Z")))
        .isInstanceOf(ScheduleSyntaxException.class)
        .hasMessageContaining("time of day")
        .hasMessageContaining("line 3");
    assertThatThrownBy(
            () -> ExclusionCalendar.ics(event("DTSTART:20260101\nRRULE:FREQ=WEEKLY;BYDAY=MO")))
        .hasMessageContaining("line 4");
    assertThatThrownBy(() -> ExclusionCalendar.ics(event("SUMMARY:when?")))
        .hasMessageContaining("no DTSTART");
    assertThatThrownBy(() -> ExclusionCalendar.ics(event("DTSTART:2026-01-01")))
        .hasMessageContaining("no date");
    assertThatThrownBy(() -> ExclusionCalendar.ics(new StringReader("hello")))
        .hasMessageContaining("no iCalendar file");
  }

  @Test
  void intervalsAreAlignedToTheEpochPlusTheirPhase() {
    Schedule interval = Interval.of(Duration.ofMinutes(7), Duration.ofSeconds(3));
    Instant time = interval.next(START).orElseThrow();
    assertThat((time.getEpochSecond() - 3) % 420).isZero();
    assertThat(interval.next(time.minusNanos(1))).contains(time);
    assertThat(interval.previous(time.plusNanos(1))).contains(time);
    assertThat(interval.previous(time)).contains(time.minusSeconds(420));
    assertThat(interval.count(time, time.plusSeconds(420))).isEqualTo(1);
    assertThatThrownBy(() -> Schedule.every(Duration.ZERO)).hasMessageContaining("at least");
    assertThatThrownBy(() -> Schedule.every(Duration.ofNanos(1_000_001)))
        .hasMessageContaining("whole number");
  }

  private static StringReader event(String lines) {
    return new StringReader(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\n" + lines + "\nEND:VEVENT\nEND:VCALENDAR\n");
  }
}
