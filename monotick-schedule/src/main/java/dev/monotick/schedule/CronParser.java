package dev.monotick.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Splits a cron expression into its fields and checks what holds between them. */
final class CronParser {

  private static final int MAX_LENGTH = 1000;

  private static final Map<String, String> MACROS =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  private static final String MACRO_NAMES =
      "allowed are @yearly @annually @monthly @weekly @daily @midnight @hourly, and @every 90s"
          + " where intervals are";

  private final String input;
  private final CronDialect dialect;
  private final String task;

  private CronParser(String input, CronDialect dialect, String task) {
    this.input = input;
    this.dialect = dialect;
    this.task = task;
  }

  /** Reads {@code input}; {@code task} is what {@code H} hashes. */
  static CronFields parse(String input, CronDialect dialect, String task) {
    if (input.length() > MAX_LENGTH) {
      throw new ScheduleSyntaxException(
          input,
          "expression",
          MAX_LENGTH,
          "a cron expression has at most " + MAX_LENGTH + " characters, not " + input.length(),
          "join several schedules instead");
    }
    return new CronParser(input, dialect, task).parse();
  }

  private CronFields parse() {
    List<int[]> words = words(input);
    if (!words.isEmpty() && input.charAt(words.get(0)[0]) == '@') {
      return macro(words);
    }
    List<CronFieldKind> kinds = kinds(words.size());
    List<CronField> fields = new ArrayList<>();
    boolean ambiguous = false;
    for (int i = 0; i < kinds.size(); i++) {
      CronFieldParser parser =
          new CronFieldParser(input, words.get(i)[0], words.get(i)[1], kinds.get(i), dialect, task);
      fields.add(parser.parse());
      ambiguous |= parser.hasAmbiguousWeekday();
    }
    CronFields result = CronFields.of(dialect, fields);
    int dayOfMonthAt = words.get(kinds.indexOf(CronFieldKind.DAY_OF_MONTH))[0];
    int dayOfWeekAt = words.get(kinds.indexOf(CronFieldKind.DAY_OF_WEEK))[0];
    if (dialect == CronDialect.QUARTZ) {
      checkOneDayField(result, dayOfMonthAt, dayOfWeekAt);
    }
    boolean looksLikeQuartz = words.size() == 7 || result.dayOfMonth().text().equals("?");
    if (dialect == CronDialect.STANDARD && ambiguous && looksLikeQuartz) {
      throw new ScheduleSyntaxException(
          input,
          CronFieldKind.DAY_OF_WEEK.label,
          dayOfWeekAt,
          "a numbered weekday is ambiguous here: "
              + (words.size() == 7 ? "a seventh field" : "?")
              + " is Quartz's way of writing, where 1 is Sunday, but in cron 1 is Monday",
          "write the weekday's name (SUN-SAT), or say Cron.quartz(..) if that is what it is");
    }
    if (!result.times(Cron.Days.OR).isSatisfiable()) {
      throw unsatisfiable(result, dayOfMonthAt);
    }
    return result;
  }

  /** Says that no date has what the fields ask for. */
  ScheduleSyntaxException unsatisfiable(CronFields fields, int position) {
    return new ScheduleSyntaxException(
        input,
        CronFieldKind.DAY_OF_MONTH.label,
        position,
        "this never fires: no date matches " + fields.dayText(),
        "choose days that exist in at least one of the months");
  }

  private CronFields macro(List<int[]> words) {
    String name = input.substring(words.get(0)[0], words.get(0)[1]).toLowerCase(Locale.ROOT);
    String expression = MACROS.get(name);
    if (expression == null || words.size() > 1 || dialect == CronDialect.QUARTZ) {
      String problem =
          switch (name) {
            case "@reboot" -> "@reboot names no time; let the task run at start instead";
            case "@every" -> "@every is an interval, not a cron expression; use Schedule.cron(..)";
            default ->
                dialect == CronDialect.QUARTZ
                    ? "Quartz knows no macros"
                    : expression == null ? "this macro is not known" : "nothing may follow " + name;
          };
      int position = expression != null && words.size() > 1 ? words.get(1)[0] : words.get(0)[0];
      throw new ScheduleSyntaxException(input, "macro", position, problem, MACRO_NAMES);
    }
    return parse(expression, CronDialect.STANDARD, task).named(name);
  }

  private List<CronFieldKind> kinds(int count) {
    List<CronFieldKind> all = List.of(CronFieldKind.values());
    boolean fits =
        switch (dialect) {
          case STANDARD -> count >= 5 && count <= 7;
          case UNIX -> count == 5;
          case QUARTZ -> count == 6 || count == 7;
        };
    if (!fits) {
      throw new ScheduleSyntaxException(
          input,
          "expression",
          count == 0 ? 0 : input.length(),
          count == 0 ? "the expression is empty" : "found " + count + " fields",
          switch (dialect) {
            case STANDARD ->
                "allowed are 5 fields (minute hour day-of-month month day-of-week), 6 with the"
                    + " seconds first, 7 with a year last";
            case UNIX -> "crontab has 5 fields: minute hour day-of-month month day-of-week";
            case QUARTZ ->
                "Quartz has 6 fields (second minute hour day-of-month month day-of-week) or 7 with"
                    + " a year last";
          });
    }
    return count == 5 ? all.subList(1, 6) : all.subList(0, count);
  }

  private void checkOneDayField(CronFields fields, int dayOfMonthAt, int dayOfWeekAt) {
    boolean noDayOfMonth = fields.dayOfMonth().text().equals("?");
    boolean noDayOfWeek = fields.dayOfWeek().text().equals("?");
    if (noDayOfMonth == noDayOfWeek) {
      throw new ScheduleSyntaxException(
          input,
          CronFieldKind.DAY_OF_WEEK.label,
          noDayOfMonth ? dayOfMonthAt : dayOfWeekAt,
          "Quartz wants exactly one ? in the two day fields, but found "
              + (noDayOfMonth ? "two" : "none"),
          "write ? in the day field that does not matter; both together work in Schedule.cron(..)");
    }
  }

  static List<int[]> words(String input) {
    List<int[]> words = new ArrayList<>();
    int at = 0;
    while (at < input.length()) {
      if (isSpace(input.charAt(at))) {
        at++;
        continue;
      }
      int start = at;
      while (at < input.length() && !isSpace(input.charAt(at))) {
        at++;
      }
      words.add(new int[] {start, at});
    }
    return words;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }
}
