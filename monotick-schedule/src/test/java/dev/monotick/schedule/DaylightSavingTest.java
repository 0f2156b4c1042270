package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cases in which the cron parsers of the Java world disagree; ours follows cronie. */
class DaylightSavingTest {

  private static final ZoneId BRUSSELS = ZoneId.of("Europe/Brussels");
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final ZoneId SANTIAGO = ZoneId.of("America/Santiago");
  private static final ZoneId CAIRO = ZoneId.of("Africa/Cairo");
  private static final ZoneId LORD_HOWE = ZoneId.of("Australia/Lord_Howe");
  private static final ZoneId APIA = ZoneId.of("Pacific/Apia");

  private static final LocalDate AUTUMN = LocalDate.of(2026, 10, 25);
  private static final LocalDate SPRING = LocalDate.of(2026, 3, 29);

  @Test
  void everyMinuteFiresThreeHundredTimesInFiveRealHoursOfAutumn() {
    Instant midnight = start(AUTUMN, BRUSSELS);
    assertThat(fires("* * * * *", BRUSSELS, midnight, midnight.plusSeconds(5 * 3600))).hasSize(300);
    assertThat(fires("0 * * * * *", BRUSSELS, midnight, midnight.plusSeconds(5 * 3600)))
        .hasSize(300);
  }

  @Test
  void everyFifteenMinutesFiresTwentyTimesInFiveRealHoursOfAutumn() {
    Instant midnight = start(AUTUMN, BRUSSELS);
    for (String expression : List.of("*/15 * * * *", "0/15 * * * *", "0,15,30,45 * * * *")) {
      assertThat(fires(expression, BRUSSELS, midnight, midnight.plusSeconds(5 * 3600))).hasSize(20);
    }
  }

  @Test
  void hourlyFiresTwentyFiveTimesOnTheAutumnDayAndTwentyThreeTimesInSpring() {
    for (String expression : List.of("0 * * * *", "@hourly", "0 */1 * * *", "0 0-23 * * *")) {
      assertThat(onDay(expression, BRUSSELS, AUTUMN)).hasSize(25);
      assertThat(onDay(expression, BRUSSELS, SPRING)).hasSize(23);
    }
  }

  @Test
  void dailyInTheRepeatedHourFiresOnceAtTheFirst() {
    assertThat(onDay("30 2 * * *", BRUSSELS, AUTUMN))
        .containsExactly(Instant.parse("2026-10-25T00:30:00Z"));
  }

  @Test
  void twoTimesInTheRepeatedHourFireTwice() {
    assertThat(onDay("15,45 2 * * *", BRUSSELS, AUTUMN))
        .containsExactly(
            Instant.parse("2026-10-25T00:15:00Z"), Instant.parse("2026-10-25T00:45:00Z"));
  }

  @Test
  void dailyInTheGapFiresOnceAtItsEnd() {
    assertThat(onDay("30 2 * * *", BRUSSELS, SPRING))
        .containsExactly(Instant.parse("2026-03-29T01:00:00Z"));
  }

  @Test
  void dailyAtMidnightFiresOnTheDayThatHasNoMidnight() {
    LocalDate day = LocalDate.of(2026, 9, 6);
    assertThat(SANTIAGO.getRules().getTransition(day.atStartOfDay()).isGap()).isTrue();
    assertThat(onDay("0 0 * * *", SANTIAGO, day))
        .containsExactly(day.atTime(1, 0).atZone(SANTIAGO).toInstant());
  }

  @Test
  void everyTwoHoursFiresElevenTimesOnTheDayThatHasNoMidnight() {
    LocalDate day = LocalDate.of(2026, 4, 24);
    assertThat(CAIRO.getRules().getTransition(day.atStartOfDay()).isGap()).isTrue();
    assertThat(onDay("0 */2 * * *", CAIRO, day)).hasSize(11);
    assertThat(onDay("0 0 0/2 * * *", CAIRO, day)).hasSize(11);
  }

  @Test
  void everyTenMinutesFiresEighteenTimesInThreeRealHoursOfLordHowe() {
    Instant from = LocalDateTime.of(2026, 4, 5, 0, 30).atZone(LORD_HOWE).toInstant();
    assertThat(fires("*/10 * * * *", LORD_HOWE, from, from.plusSeconds(3 * 3600))).hasSize(18);
  }

  @Test
  void dailyInTheHalfHourGapOfLordHoweFiresAtItsEnd() {
    LocalDate day = LocalDate.of(2026, 10, 4);
    assertThat(onDay("10 2 * * *", LORD_HOWE, day))
        .containsExactly(day.atTime(2, 30).atZone(LORD_HOWE).toInstant());
  }

  @Test
  void dayOfMonthAndDayOfWeekAreJoinedAsInCron() {
    Instant from = start(LocalDate.of(2026, 2, 1), BRUSSELS);
    Instant to = start(LocalDate.of(2026, 3, 1), BRUSSELS);
    assertThat(fires("0 0 13 * FRI", BRUSSELS, from, to)).hasSize(4); // 13 is a Friday
    Instant march = start(LocalDate.of(2026, 4, 1), BRUSSELS);
    assertThat(fires("0 0 12 * FRI", BRUSSELS, to, march)).hasSize(5);
  }

  @Test
  void lastWeekdayOfTheMonthIsFound() {
    Cron cron = Cron.of("0 0 LW * *");
    assertThat(cron.next(Instant.parse("2026-01-01T00:00:00Z")))
        .contains(Instant.parse("2026-01-30T00:00:00Z"));
    assertThat(cron.next(Instant.parse("2026-02-01T00:00:00Z")))
        .contains(Instant.parse("2026-02-27T00:00:00Z"));
  }

  @Test
  void leapDayOnAMondayIsFound() {
    assertThat(
            Cron.of("0 0 29 2 MON").days(Cron.Days.AND).next(Instant.parse("2026-01-01T00:00:00Z")))
        .contains(Instant.parse("2044-02-29T00:00:00Z"));
    Cron elapsed = Cron.of("* * 29 2 MON").days(Cron.Days.AND).zone(BERLIN);
    assertThat(elapsed.next(Instant.parse("2026-01-01T00:00:00Z")))
        .contains(Instant.parse("2044-02-28T23:00:00Z"));
    assertThat(elapsed.previous(Instant.parse("2044-02-28T23:00:00Z")))
        .contains(Instant.parse("2016-02-29T22:59:00Z"));
  }

  @Test
  void askedFromInsideTheRepeatedHourNothingFiresAgain() {
    Cron daily = Cron.of("30 2 * * *").zone(BRUSSELS);
    Instant tomorrow = Instant.parse("2026-10-26T01:30:00Z");
    for (String inside :
        List.of(
            "2026-10-25T00:30:00Z",
            "2026-10-25T00:59:59Z",
            "2026-10-25T01:00:00Z",
            "2026-10-25T01:29:59Z",
            "2026-10-25T01:30:00Z",
            "2026-10-25T01:45:00Z")) {
      assertThat(daily.next(Instant.parse(inside))).as(inside).contains(tomorrow);
    }
    assertThat(daily.previous(Instant.parse("2026-10-25T01:45:00Z")))
        .contains(Instant.parse("2026-10-25T00:30:00Z"));
  }

  @Test
  void policiesChooseTheOtherAnswers() {
    Cron daily = Cron.of("30 2 * * *").zone(BRUSSELS);
    Instant first = Instant.parse("2026-10-25T00:30:00Z");
    Instant second = Instant.parse("2026-10-25T01:30:00Z");
    assertThat(onDay(daily.gap(Cron.Gap.SKIP), BRUSSELS, SPRING)).isEmpty();
    assertThat(onDay(daily.overlap(Cron.Overlap.LAST), BRUSSELS, AUTUMN)).containsExactly(second);
    assertThat(onDay(daily.overlap(Cron.Overlap.BOTH), BRUSSELS, AUTUMN))
        .containsExactly(first, second);
  }

  @Test
  void severalTimesInOneGapAreOneTick() {
    assertThat(onDay("15,45 2 * * *", BRUSSELS, SPRING)).hasSize(1);
    assertThat(onDay("0 2,3 * * *", BRUSSELS, SPRING)).hasSize(1);
  }

  @Test
  void stepInTheMinuteFieldFollowsElapsedTimeAsInCronie() {
    assertThat(onDay("*/15 2 * * *", BRUSSELS, SPRING)).isEmpty();
    assertThat(onDay("*/15 2 * * *", BRUSSELS, AUTUMN)).hasSize(8);
  }

  @Test
  void dayThatAZoneLeftOutFiresAtTheStartOfTheNext() {
    Instant from = start(LocalDate.of(2011, 12, 29), APIA);
    Instant to = start(LocalDate.of(2012, 1, 1), APIA);
    assertThat(fires("0 12 * * *", APIA, from, to))
        .containsExactly(
            LocalDateTime.of(2011, 12, 29, 12, 0).atZone(APIA).toInstant(),
            LocalDateTime.of(2011, 12, 31, 0, 0).atZone(APIA).toInstant(),
            LocalDateTime.of(2011, 12, 31, 12, 0).atZone(APIA).toInstant());
  }

  private static List<Instant> onDay(String expression, ZoneId zone, LocalDate day) {
    return onDay(Schedule.cron(expression, zone), zone, day);
  }

  private static List<Instant> onDay(Schedule schedule, ZoneId zone, LocalDate day) {
    return fires(schedule, start(day, zone), start(day.plusDays(1), zone));
  }

  private static List<Instant> fires(String expression, ZoneId zone, Instant from, Instant to) {
    return fires(Schedule.cron(expression, zone), from, to);
  }

  private static List<Instant> fires(Schedule schedule, Instant from, Instant to) {
    List<Instant> fires = schedule.between(from, to, 10_000);
    assertThat(schedule.count(from, to)).isEqualTo(fires.size());
    return fires;
  }

  private static Instant start(LocalDate day, ZoneId zone) {
    return day.atStartOfDay(zone).toInstant();
  }
}
