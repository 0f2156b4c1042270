package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CronSyntaxTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z"); // a Thursday

  @Test
  void fiveFieldsFireAtSecondZeroAndSixBeginWithSeconds() {
    assertThat(next("30 2 * * *")).isEqualTo("2026-01-01T02:30:00Z");
    assertThat(next("15 30 2 * * *")).isEqualTo("2026-01-01T02:30:15Z");
    assertThat(next("15 30 2 * * * 2028")).isEqualTo("2028-01-01T02:30:15Z");
    assertThat(next("0 0 0 1 1 ? 2030-2032/2")).isEqualTo("2030-01-01T00:00:00Z");
  }

  @Test
  void stepsListsAndRangesMeanWhatTheySay() {
    assertThat(hours("0 */5 * * *")).containsExactly(0, 5, 10, 15, 20);
    assertThat(hours("0 3/5 * * *")).containsExactly(3, 8, 13, 18, 23);
    assertThat(hours("0 3-14/5 * * *")).containsExactly(3, 8, 13);
    assertThat(hours("0 22-2 * * *")).containsExactly(0, 1, 2, 22, 23);
    assertThat(hours("0 22-3/2 * * *")).containsExactly(0, 2, 22);
    assertThat(hours("0 1,5-7,20/2 * * *")).containsExactly(1, 5, 6, 7, 20, 22);
  }

  @Test
  void zeroAndSevenAreSundayAndNamesHaveAnyCase() {
    for (String sunday : List.of("0", "7", "SUN", "sun", "Sun", "7-0", "0-0", "7-7")) {
      assertThat(days("0 0 * * " + sunday)).as(sunday).containsExactly(4, 11, 18, 25);
    }
    assertThat(days("0 0 * jan FRI-MON")).startsWith(2, 3, 4, 5, 9);
    assertThat(days("0 0 * * 5-7")).startsWith(2, 3, 4, 9);
    assertThat(days("0 0 * * 0-7")).hasSize(31);
    assertThat(next("0 0 1 nov-Feb *")).isEqualTo("2026-02-01T00:00:00Z");
  }

  @Test
  void specialDaysAreFound() {
    assertThat(days("0 0 L * *")).containsExactly(31);
    assertThat(days("0 0 L-3 * *")).containsExactly(28);
    assertThat(days("0 0 LW * *")).containsExactly(30);
    assertThat(days("0 0 L-6W * *")).containsExactly(26); // 25 is a Sunday
    assertThat(days("0 0 3W * *")).containsExactly(2); // 3 is a Saturday
    assertThat(days("0 0 4W * *")).containsExactly(5);
    assertThat(days("0 0 * * 5L")).containsExactly(30);
    assertThat(days("0 0 * * FRIL")).containsExactly(30);
    assertThat(days("0 0 * * 7L")).containsExactly(25);
    assertThat(days("0 0 * * FRI#2")).containsExactly(9);
    assertThat(days("0 0 * * 5#5")).containsExactly(30);
    assertThat(days("0 0 1,15,L * ?")).containsExactly(1, 15, 31);
  }

  @Test
  void nearestWeekdayNeverLeavesTheMonth() {
    assertThat(next("0 0 1W 8 *")).isEqualTo("2026-08-03T00:00:00Z"); // 1 August is a Saturday
    assertThat(next("0 0 31W 5 *")).isEqualTo("2026-05-29T00:00:00Z"); // 31 May is a Sunday
    assertThat(next("0 0 31W 2,3 *")).isEqualTo("2026-03-31T00:00:00Z"); // no 31 February
  }

  @Test
  void bothDayFieldsMeanEitherUnlessToldOtherwise() {
    assertThat(days("0 0 13 * FRI")).containsExactly(2, 9, 13, 16, 23, 30);
    Cron both = Cron.of("0 0 13 * FRI").days(Cron.Days.AND);
    assertThat(both.next(START)).contains(Instant.parse("2026-02-13T00:00:00Z"));
    assertThat(days("0 0 */2 * FRI"))
        .as("a * does not restrict, as in cron")
        .containsExactly(9, 23);
  }

  @Test
  void macrosAreExpanded() {
    assertThat(next("@yearly")).isEqualTo("2027-01-01T00:00:00Z");
    assertThat(next("@Annually")).isEqualTo("2027-01-01T00:00:00Z");
    assertThat(next("@monthly")).isEqualTo("2026-02-01T00:00:00Z");
    assertThat(next("@weekly")).isEqualTo("2026-01-04T00:00:00Z");
    assertThat(next("@daily")).isEqualTo("2026-01-02T00:00:00Z");
    assertThat(next("@midnight")).isEqualTo("2026-01-02T00:00:00Z");
    assertThat(next("@hourly")).isEqualTo("2026-01-01T01:00:00Z");
    assertThat(Schedule.cron("@every 90s")).isEqualTo(Schedule.every(Duration.ofSeconds(90)));
    assertThat(Schedule.cron("@every 1h30m", ZoneId.of("Europe/Berlin")))
        .isEqualTo(Schedule.every(Duration.ofMinutes(90)));
    assertRefused("@reboot", "macro", 0, "run at start");
    assertRefused("@every 90", "duration", 9, "unit");
    assertRefused("@every", "duration", 6, "missing");
    assertRefused("@daily 5", "macro", 7, "nothing may follow");
  }

  @Test
  void hashedFieldsAreStableAndSpreadByTaskName() {
    Schedule hashed = Schedule.cron("H H(2-4) * * *");
    Schedule mail = hashed.forTask("mail");
    assertThat(mail).isEqualTo(hashed.forTask("mail")).isNotEqualTo(hashed.forTask("bill"));
    assertThat(mail.forTask("bill")).isEqualTo(hashed.forTask("bill"));
    assertThat(Schedule.parse(mail.toString())).isEqualTo(mail);
    // Fixed for good: a release that moved these times would fire a day's tasks twice.
    assertThat(mail.next(START)).contains(Instant.parse("2026-01-01T04:12:00Z"));
    long distinct =
        IntStream.range(0, 200)
            .mapToObj(i -> Schedule.cron("H * * * *").forTask("task" + i).next(START))
            .distinct()
            .count();
    assertThat(distinct).isGreaterThan(50);
    Schedule quarters = Schedule.cron("H/15 * * * *").forTask("mail");
    assertThat(quarters.count(START, START.plusSeconds(3600))).isEqualTo(4);
    Schedule some = Schedule.cron("H(0-29)/10 * * * *").forTask("mail");
    assertThat(some.count(START, START.plusSeconds(1800))).isEqualTo(3);
    assertThat(some.count(START.plusSeconds(1800), START.plusSeconds(3600))).isZero();
    assertThat(
            Schedule.cron("0 0 H * *").forTask("x").count(START, START.plusSeconds(86_400L * 365)))
        .isEqualTo(12);
    Schedule plain = Schedule.cron("0 0 1 * *");
    assertThat(plain.forTask("mail")).isSameAs(plain);
  }

  @Test
  void quartzCountsWeekdaysFromSundayAsOne() {
    Cron quartz = Cron.quartz("0 0 12 ? * 2");
    assertThat(quartz.next(START)).contains(Instant.parse("2026-01-05T12:00:00Z")); // a Monday
    assertThat(Cron.quartz("0 0 12 ? * 6L").next(START))
        .contains(Instant.parse("2026-01-30T12:00:00Z")); // the last Friday
    assertThat(Cron.quartz("0 0 12 ? * L").next(START))
        .contains(Instant.parse("2026-01-03T12:00:00Z")); // Saturday
    assertThat(Cron.quartz("0 /5 12 ? * 6#2 2027").next(START))
        .contains(Instant.parse("2027-01-08T12:00:00Z"));
    assertThat(Schedule.parse(quartz.toString())).isEqualTo(quartz);
    assertThatThrownBy(() -> Cron.quartz("0 12 * * 2")).hasMessageContaining("found 5 fields");
    assertThatThrownBy(() -> Cron.quartz("0 0 12 * * *")).hasMessageContaining("exactly one ?");
    assertThatThrownBy(() -> Cron.quartz("0 0 12 13 * FRI")).hasMessageContaining("exactly one ?");
    assertThatThrownBy(() -> Cron.quartz("0 0 12 ? * 0")).hasMessageContaining("between 1 and 7");
  }

  @Test
  void unixKnowsNoExtensions() {
    assertThat(Cron.unix("*/5 0-4,22 1-7 * mon").next(START))
        .contains(Instant.parse("2026-01-01T00:05:00Z"));
    assertThat(Cron.unix("@daily").next(START)).contains(Instant.parse("2026-01-02T00:00:00Z"));
    for (String extended :
        List.of(
            "0 0 L * *",
            "0 0 ? * 1",
            "0 0 1W * *",
            "0 0 * * 5L",
            "0 0 * * 5#1",
            "H * * * *",
            "0 0 0 * * *",
            "5/10 * * * *",
            "0 22-2 * * *")) {
      assertThatThrownBy(() -> Cron.unix(extended))
          .as(extended)
          .isInstanceOf(ScheduleSyntaxException.class);
    }
  }

  @Test
  void ambiguousWeekdaysAreRefusedAndNotGuessed() {
    assertRefused("0 0 12 ? * 2", "day-of-week", 11, "ambiguous");
    assertRefused("0 0 12 * * 2 2027", "day-of-week", 11, "ambiguous");
    assertThat(next("0 0 12 ? * MON")).isEqualTo("2026-01-05T12:00:00Z");
    assertThat(next("0 0 12 ? * 0")).as("no Quartz day is 0").isEqualTo("2026-01-04T12:00:00Z");
    assertThat(next("0 0 12 * * 2")).isEqualTo("2026-01-06T12:00:00Z");
    assertRefused("0 12 * * ? 2027", "month", 9, "day fields only");
    assertRefused("0 12 1 1 1 2027", "day-of-week", 11, "a year needs 7 fields");
  }

  @Test
  void errorsPointAtTheFieldAndTheCharacter() {
    assertRefused("0 24 * * *", "hour", 2, "24 is not between 0 and 23");
    assertRefused("60 * * * *", "minute", 0, "60 is not between 0 and 59");
    assertRefused("0 0 1,32 * *", "day-of-month", 6, "32 is not between 1 and 31");
    assertRefused("0 0 * FOO *", "month", 6, "FOO does not fit");
    assertRefused("0 0 * * MOON", "day-of-week", 8, "MOON does not fit");
    assertRefused("0 0 * * MON*", "day-of-week", 11, "* does not fit");
    assertRefused("*/0 * * * *", "minute", 2, "a step in minute is 1 to 59");
    assertRefused("*/60 * * * *", "minute", 2, "a step in minute is 1 to 59");
    assertRefused("1, * * * *", "minute", 1, "comma");
    assertRefused("1- * * * *", "minute", 2, "missing");
    assertRefused("? * * * *", "minute", 0, "day fields only");
    assertRefused("0 0 * * L", "day-of-week", 8, "FRIL");
    assertRefused("0 0 * * 5#6", "day-of-week", 10, "1 to 5");
    assertRefused("0 0 L-31 * *", "day-of-month", 6, "at most L-30");
    assertRefused("* * * *", "expression", 7, "found 4 fields");
    assertRefused("", "expression", 0, "empty");
    assertRefused("H(5-2) * * * *", "minute", 2, "must grow");
    assertRefused("0 0 0 1 1 ? 2030-2020", "year", 12, "2030 is after 2020");
    assertRefused("0 0 1 \u20ac *", "month", 6, "\u20ac does not fit");
  }

  @Test
  void messageShowsTheInputTheCaretAndWhatIsAllowed() {
    assertThatThrownBy(() -> Schedule.cron("0 24 * * *"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            """
            24 is not between 0 and 23 (hour)
              0 24 * * *
                ^
            hour allows 0-23 * lists (1,2) ranges (1-2) steps (*/2) H H(a-b)/n""");
  }

  @Test
  void datesThatNeverComeAreRefused() {
    assertRefused("0 0 31 2 *", "day-of-month", 4, "never fires");
    assertRefused("0 0 30 FEB *", "day-of-month", 4, "no date matches");
    assertRefused("0 0 31 4,6,9,11 *", "day-of-month", 4, "never fires");
    assertRefused("0 0 0 29 2 ? 2027", "day-of-month", 6, "never fires");
    assertRefused("0 0 L-30 2 *", "day-of-month", 4, "never fires");
    assertThatThrownBy(() -> Cron.of("0 0 29 2 1#1").days(Cron.Days.AND))
        .hasMessageContaining("never fires");
    assertThatThrownBy(() -> Cron.of("0 30 2 29 3 ? 2026").zone("Europe/Berlin").gap(Cron.Gap.SKIP))
        .as("the only time of this schedule is in a gap")
        .hasMessageContaining("never fires");
    assertThat(next("0 0 31 2 MON")).as("Mondays in February").isEqualTo("2026-02-02T00:00:00Z");
  }

  @Test
  void leapDayOverACenturyIsFound() {
    Cron leap = Cron.of("0 0 29 2 *");
    assertThat(leap.next(Instant.parse("2096-03-01T00:00:00Z")))
        .contains(Instant.parse("2104-02-29T00:00:00Z"));
    assertThat(leap.previous(Instant.parse("2104-02-29T00:00:00Z")))
        .contains(Instant.parse("2096-02-29T00:00:00Z"));
  }

  @Test
  void unknownZoneIsRefusedWithTheNearest() {
    assertThatThrownBy(() -> Cron.of("@daily").zone("Europe/Berln"))
        .isInstanceOf(ScheduleSyntaxException.class)
        .hasMessageContaining("did you mean Europe/Berlin?");
    assertThatThrownBy(() -> Zones.of("berlin")).hasMessageContaining("Europe/Berlin");
    assertThatThrownBy(() -> Zones.of("New York")).hasMessageContaining("America/New_York");
    assertThatThrownBy(() -> Zones.of("")).isInstanceOf(ScheduleSyntaxException.class);
    assertThat(Zones.of("Asia/Kolkata")).isEqualTo(ZoneId.of("Asia/Kolkata"));
  }

  @Test
  void countNeedsNoWalk() {
    Schedule everySecond = Schedule.cron("* * * * * *", ZoneId.of("Europe/Berlin"));
    Instant end = LocalDate.of(2226, 1, 1).atStartOfDay(ZoneOffset.UTC).toInstant();
    long seconds = Duration.between(START, end).toSeconds();
    assertThat(everySecond.count(START, end)).isEqualTo(seconds);
    assertThat(everySecond.count(end, START)).isZero();
    assertThat(everySecond.count(START.plusNanos(1), START.plusSeconds(1))).isZero();
  }

  @Test
  void endsOfTimeAreNoTrap() {
    for (Schedule schedule :
        List.of(
            Schedule.cron("* * * * *", ZoneId.of("Europe/Berlin")),
            Schedule.cron("0 0 29 2 *"),
            Schedule.every(Duration.ofMinutes(7)))) {
      assertThat(schedule.next(Instant.MAX)).isEmpty();
      assertThat(schedule.previous(Instant.MIN)).isEmpty();
      assertThat(schedule.next(Instant.MIN)).isPresent();
      assertThat(schedule.previous(Instant.MAX)).isPresent();
      assertThat(schedule.between(Instant.MIN, Instant.MAX, 3)).hasSize(3);
      assertThat(schedule.count(Instant.MIN, Instant.MAX)).isPositive();
    }
  }

  private static String next(String expression) {
    return Schedule.cron(expression).next(START).orElseThrow().toString();
  }

  /** The hours at which an expression fires on the first of January. */
  private static List<Integer> hours(String expression) {
    return Schedule.cron(expression).between(START, START.plusSeconds(86_400), 100).stream()
        .map(time -> time.atOffset(ZoneOffset.UTC).getHour())
        .toList();
  }

  /** The days of January on which an expression fires. */
  private static List<Integer> days(String expression) {
    return Schedule.cron(expression).between(START, START.plusSeconds(31 * 86_400), 100).stream()
        .map(time -> time.atOffset(ZoneOffset.UTC).getDayOfMonth())
        .toList();
  }

  private static void assertRefused(String expression, String field, int position, String problem) {
    ScheduleSyntaxException refusal =
        catchThrowableOfType(ScheduleSyntaxException.class, () -> Schedule.cron(expression));
    assertThat(refusal).as(expression).isNotNull();
    assertThat(refusal).as(expression).hasMessageContaining(problem);
    assertThat(refusal.field()).as(refusal.getMessage()).isEqualTo(field);
    assertThat(refusal.position()).as(refusal.getMessage()).isEqualTo(position);
  }
}
