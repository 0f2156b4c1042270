package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What schedules say of themselves, and that it can be read back. */
class ScheduleTextTest {

  private static final Instant JANUARY = Instant.parse("2026-01-01T00:00:00Z");
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  @Test
  void everyKindOfScheduleReadsBack() {
    Cron cron = Cron.of("30 2 * * mon-fri").zone(BERLIN);
    ExclusionCalendar calendar =
        ExclusionCalendar.businessDays()
            .plus(ExclusionCalendar.dates(LocalDate.of(2026, 5, 1)))
            .plus(ExclusionCalendar.range(LocalDate.of(2026, 8, 1), LocalDate.of(2026, 8, 15)))
            .plus(ExclusionCalendar.yearly(LocalDate.of(2020, 12, 25)));
    Schedule interval = Interval.of(Duration.ofMinutes(90), Duration.ofSeconds(5));
    for (Schedule schedule :
        List.of(
            cron,
            cron.gap(Cron.Gap.SKIP).overlap(Cron.Overlap.BOTH),
            Cron.of("0 0 13 * FRI").days(Cron.Days.AND),
            Cron.quartz("0 0 12 ? * 2#1 2027-2030").zone(BERLIN),
            Cron.unix("0 0 * * 7"),
            Schedule.cron("@daily"),
            Schedule.cron("H H * * *").forTask("a; {b}=c}%7D"),
            Schedule.every(Duration.ofMillis(1)),
            interval,
            Schedule.fixedDelay(Duration.ofSeconds(61)),
            Schedule.once(JANUARY),
            cron.from(JANUARY),
            interval.until(JANUARY),
            interval.from(JANUARY).until(JANUARY.plusSeconds(86_400)).maximumRuns(3),
            Schedule.fixedDelay(Duration.ofDays(1)).from(JANUARY),
            cron.or(interval),
            cron.or(interval).or(Schedule.once(JANUARY)).from(JANUARY).maximumRuns(10),
            cron.from(JANUARY).or(interval.except(calendar)).until(JANUARY.plusSeconds(999_999)),
            cron.except(calendar),
            cron.except(calendar, ZoneId.of("America/New_York")).from(JANUARY),
            interval.except(ExclusionCalendar.weekdays(DayOfWeek.MONDAY), BERLIN))) {
      Schedule back = Schedule.parse(schedule.toString());
      assertThat(back).as(schedule.toString()).isEqualTo(schedule).hasSameHashCodeAs(schedule);
      assertThat(back).hasToString(schedule.toString());
      assertThat(back.next(JANUARY)).isEqualTo(schedule.next(JANUARY));
    }
  }

  @Test
  void randomCronReadsBack() {
    Random random = Seeds.random("text");
    for (int i = 0; i < 2000; i++) {
      RandomCron model = RandomCron.any(random, random.nextBoolean(), Cron.Days.OR);
      try {
        Cron cron = Cron.of(model.text).zone(BERLIN);
        Schedule back = Schedule.parse(cron.toString());
        assertThat(back).as(cron + " " + Seeds.hint()).isEqualTo(cron);
        assertThat(back.describe()).isEqualTo(cron.describe()).isNotBlank();
      } catch (ScheduleSyntaxException refusal) {
        assertThat(refusal).as(model.text + Seeds.hint()).hasMessageContaining("never fires");
      }
    }
  }

  @Test
  void badTextIsRefusedWithAPointer() {
    for (String bad :
        List.of(
            "@daily; zone=Europe/Berln",
            "@daily; colour=red",
            "@daily; except={SAT} in ",
            "@daily; gap=LATER",
            "@every 5s; zone=UTC",
            "@every 5s; phase=5s",
            "@daily; phase=5s",
            "@at tomorrow",
            "@daily; from=2026",
            "@daily; maximum=3",
            "@daily; maximum=x",
            "@daily; except=SAT",
            "@daily; except={someday}",
            "@daily; except={SAT,SUN",
            "{@daily} and {@hourly}",
            "{@daily} or",
            "@daily; until=2026-01-01T00:00:00Z; from=2026-01-01T00:00:00Z",
            "}",
            "",
            ";")) {
      assertThatThrownBy(() -> Schedule.parse(bad))
          .as(bad)
          .isInstanceOf(ScheduleSyntaxException.class)
          .hasMessageContaining("^");
    }
  }

  @Test
  void predicateCanBeWrittenButNotReadBack() {
    Schedule schedule =
        Schedule.cron("@daily")
            .except(ExclusionCalendar.matching("full moon", date -> date.getDayOfMonth() == 3));
    assertThat(schedule.describe()).endsWith("not on full moon");
    assertThatThrownBy(() -> Schedule.parse(schedule.toString()))
        .hasMessageContaining("a predicate is code");
  }

  @Test
  void descriptionsArePlainEnglish() {
    assertThat(describe("30 2 * * MON-FRI", BERLIN))
        .isEqualTo("At 02:30 on weekdays, Europe/Berlin; moved to 03:00 when clocks go forward");
    assertThat(describe("30 2 * * *")).isEqualTo("At 02:30 every day, UTC");
    assertThat(describe("* * * * *")).isEqualTo("Every minute, UTC");
    assertThat(describe("*/5 * * * * *")).isEqualTo("Every 5 seconds, UTC");
    assertThat(describe("0/15 * * * *")).isEqualTo("Every 15 minutes, UTC");
    assertThat(describe("@hourly")).isEqualTo("Every hour, UTC");
    assertThat(describe("0 */2 * * *")).isEqualTo("Every 2 hours, UTC");
    assertThat(describe("30 * * * *")).isEqualTo("At minute 30 of every hour, UTC");
    assertThat(describe("*/15 9-17 * * MON-FRI"))
        .isEqualTo("Every 15 minutes from 09:00 to 17:59 on weekdays, UTC");
    assertThat(describe("0 0 1,15 * *")).isEqualTo("At 00:00 on days 1 and 15 of the month, UTC");
    assertThat(describe("0 0 LW * *")).isEqualTo("At 00:00 on the last weekday of the month, UTC");
    assertThat(describe("0 12 * * 5L")).isEqualTo("At 12:00 on the last Friday of the month, UTC");
    assertThat(describe("0 12 * * TUE#2"))
        .isEqualTo("At 12:00 on the second Tuesday of the month, UTC");
    assertThat(describe("0 0 13 * FRI"))
        .isEqualTo("At 00:00 on day 13 of the month or on Friday, UTC");
    assertThat(Cron.of("0 0 13 * FRI").days(Cron.Days.AND).describe())
        .isEqualTo("At 00:00 on day 13 of the month, but only on Friday, UTC");
    assertThat(describe("15 10 30 1-3 *"))
        .isEqualTo("At 10:15 on day 30 of the month in January to March, UTC");
    assertThat(describe("15,45 8,20 * * SAT,SUN"))
        .isEqualTo("At 08:15, 08:45, 20:15 and 20:45 on weekends, UTC");
  }

  @Test
  void descriptionsSayWhatHappensWhenClocksChange() {
    Cron cron = Cron.of("30 2 * * *").zone(BERLIN);
    assertThat(cron.gap(Cron.Gap.SKIP).describe())
        .isEqualTo("At 02:30 every day, Europe/Berlin; left out when clocks go forward");
    assertThat(cron.overlap(Cron.Overlap.BOTH).describe())
        .endsWith("moved to 03:00 when clocks go forward; twice when clocks go back");
    assertThat(cron.overlap(Cron.Overlap.LAST).describe())
        .endsWith("at the second of repeated times when clocks go back");
    assertThat(describe("0 12 * * *", BERLIN)).isEqualTo("At 12:00 every day, Europe/Berlin");
    assertThat(describe("30 2 * * *", ZoneId.of("Africa/Casablanca")))
        .endsWith("moved to 03:00 when clocks go forward");
    assertThat(describe("*/15 2 * * *", BERLIN))
        .isEqualTo(
            "At 02:00, 02:15, 02:30 and 02:45, Europe/Berlin; left out when clocks go forward;"
                + " twice when clocks go back");
  }

  @Test
  void otherSchedulesDescribeThemselvesToo() {
    Schedule interval = Schedule.every(Duration.ofSeconds(90));
    assertThat(interval.describe()).isEqualTo("Every 90 seconds");
    assertThat(Schedule.every(Duration.ofMinutes(1)).describe()).isEqualTo("Every minute");
    assertThat(Schedule.every(Duration.ofMinutes(150)).describe())
        .isEqualTo("Every 2 hours 30 minutes");
    assertThat(Interval.of(Duration.ofHours(1), Duration.ofMinutes(5)).describe())
        .isEqualTo("Every hour, shifted by 5 minutes");
    assertThat(Schedule.fixedDelay(Duration.ofMinutes(5)).describe())
        .isEqualTo("5 minutes after the end of the last run");
    assertThat(Schedule.once(JANUARY).describe()).isEqualTo("Once, at 2026-01-01T00:00:00Z");
    assertThat(interval.from(JANUARY).maximumRuns(10).describe())
        .isEqualTo("Every 90 seconds; from 2026-01-01T00:00:00Z; at most 10 times");
    assertThat(interval.or(Schedule.cron("@daily")).describe())
        .isEqualTo("Every 90 seconds; also: At 00:00 every day, UTC");
    assertThat(interval.except(ExclusionCalendar.businessDays()).describe())
        .isEqualTo("Every 90 seconds; not on weekends");
  }

  private static String describe(String expression) {
    return Schedule.cron(expression).describe();
  }

  private static String describe(String expression, ZoneId zone) {
    return Schedule.cron(expression, zone).describe();
  }
}
