package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/learn/schedules.md and README show is code that runs and text that is read. */
class ScheduleDocsTest {

  private static final Path PAGE = Path.of("../docs/learn/schedules.md");
  private static final Path README = Path.of("../README.md");
  private static final Path MAIN = Path.of("src/main/java/dev/monotick/schedule");
  private static final Path SOURCE =
      Path.of("src/test/java/dev/monotick/schedule/ScheduleDocsTest.java");
  private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern IMPORT = Pattern.compile("import [\\w.]+;");

  @Test
  void javaOfThePageIsAPieceOfThisFile() throws IOException {
    String here = withoutSpaces(Files.readString(SOURCE));
    Matcher blocks = JAVA_BLOCK.matcher(Files.readString(PAGE));
    int count = 0;
    while (blocks.find()) {
      count++;
      assertThat(here).contains(withoutSpaces(blocks.group(1)));
    }
    assertThat(count).isPositive();
  }

  @Test
  void javaOfReadmeIsAPieceOfThisFileAndImportsWhatItUses() throws IOException {
    String readme = Files.readString(README);
    Matcher block = JAVA_BLOCK.matcher(readme);
    assertThat(block.find(readme.indexOf("\n## Only the schedules\n"))).isTrue();
    String imports = String.join("\n", matches(IMPORT, block.group(1)));
    String code = IMPORT.matcher(block.group(1)).replaceAll("");
    String here = Files.readString(SOURCE);
    assertThat(withoutSpaces(here)).contains(withoutSpaces(code));
    assertThat(imports).isEqualTo(String.join("\n", importsFor(code, here)));
  }

  /** Returns the imports that code needs outside of this package; types of java.lang need none. */
  private static Set<String> importsFor(String code, String here) {
    Set<String> imports = new TreeSet<>();
    for (String type : matches(Pattern.compile("\\b[A-Z]\\w*"), code)) {
      if (Files.exists(MAIN.resolve(type + ".java"))) {
        imports.add("import dev.monotick.schedule." + type + ";");
      } else {
        imports.addAll(matches(Pattern.compile("import [\\w.]+\\." + type + ";"), here));
      }
    }
    return imports;
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group).toList();
  }

  @Test
  void readmeRuns() {
    Cron backup = Cron.of("30 2 * * MON-FRI").zone("Europe/Berlin");

    Instant friday = Instant.parse("2026-03-27T12:00:00Z");
    Optional<Instant> next = backup.next(friday); // 2026-03-30T00:30:00Z: clocks went forward

    Instant april = Instant.parse("2026-04-01T00:00:00Z");
    Instant may = Instant.parse("2026-05-01T00:00:00Z");
    List<Instant> times = backup.between(april, may, 100); // 22 times

    String text = backup.describe();
    // At 02:30 on weekdays, Europe/Berlin; moved to 03:00 when clocks go forward

    assertThat(next).contains(Instant.parse("2026-03-30T00:30:00Z"));
    assertThat(times).hasSize(22).startsWith(Instant.parse("2026-04-01T00:30:00Z"));
    assertThat(text)
        .isEqualTo("At 02:30 on weekdays, Europe/Berlin; moved to 03:00 when clocks go forward");
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
