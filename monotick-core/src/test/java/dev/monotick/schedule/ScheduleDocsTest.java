package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/learn/schedules.md shows is code that runs and text that is read. */
class ScheduleDocsTest {

  private static final Path PAGE = Path.of("../docs/learn/schedules.md");
  private static final Path SOURCE =
      Path.of("src/test/java/dev/monotick/schedule/ScheduleDocsTest.java");

  @Test
  void javaOfThePageIsAPieceOfThisFile() throws IOException {
    String here = withoutSpaces(Files.readString(SOURCE));
    Matcher blocks =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
    int count = 0;
    while (blocks.find()) {
      count++;
      assertThat(here).contains(withoutSpaces(blocks.group(1)));
    }
    assertThat(count).isPositive();
  }

  @Test
  void calendarOfThePageRuns(@TempDir Path folder) throws IOException {
    Path holidays = folder.resolve("holidays.ics");
    Files.writeString(
        holidays, "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260406\nEND:VEVENT\nEND:VCALENDAR\n");
    ExclusionCalendar calendar =
        ExclusionCalendar.businessDays() // Monday to Friday remain
            .plus(ExclusionCalendar.ics(holidays))
            .plus(ExclusionCalendar.range(LocalDate.of(2026, 12, 24), LocalDate.of(2027, 1, 1)))
            .plus(ExclusionCalendar.yearly(LocalDate.of(2026, 5, 1))) // from then on, every year
            .plus(ExclusionCalendar.matching("freeze", date -> date.getDayOfMonth() > 28));
    Schedule schedule = Schedule.cron("0 9 * * *", ZoneId.of("Europe/Berlin")).except(calendar);

    assertThat(schedule.next(Instant.parse("2026-04-03T12:00:00Z")))
        .contains(Instant.parse("2026-04-07T07:00:00Z"));
    assertThat(schedule.next(Instant.parse("2026-12-23T12:00:00Z")))
        .contains(Instant.parse("2027-01-04T08:00:00Z"));
  }

  @Test
  void textsOfThePageAreRead() {
    for (String text :
        new String[] {
          "30 2 * * MON-FRI; zone=Europe/Berlin",
          "@every 90s",
          "@every 1h; phase=5m",
          "@delay 5m",
          "@at 2026-03-29T01:00:00Z",
          "{0 9 * * *} or {@every 6h}",
          "0 9 * * *; except={SAT,SUN,2026-12-25} in Europe/Berlin"
        }) {
      assertThat(Schedule.parse(Schedule.parse(text).toString())).isEqualTo(Schedule.parse(text));
    }
  }

  private static String withoutSpaces(String text) {
    return text.replaceAll("\\s+", "");
  }
}
