package dev.monotick.schedule;

import dev.monotick.schedule.internal.LocalTimes;
import dev.monotick.schedule.internal.StableHash;
import dev.monotick.schedule.internal.YearSet;
import java.util.BitSet;
import java.util.Locale;

/** Reads one field of a cron expression, character by character, so that errors can point. */
final class CronFieldParser {

  private final String input;
  private final CronFieldKind kind;
  private final CronDialect dialect;
  private final String task;
  private final int start;
  private final int end;
  private int at;

  private long bits;
  private final BitSet years = new BitSet();
  private boolean star;
  private boolean open;
  private boolean hashed;
  private boolean bareWeekday;
  private boolean zero;
  private long last;
  private long nearest;
  private long lastWeekday;
  private long nth;

  CronFieldParser(
      String input, int start, int end, CronFieldKind kind, CronDialect dialect, String task) {
    this.input = input;
    this.start = start;
    this.end = end;
    this.at = start;
    this.kind = kind;
    this.dialect = dialect;
    this.task = task;
  }

  CronField parse() {
    while (true) {
      item();
      if (at == end) {
        break;
      }
      if (peek() != ',') {
        throw unexpected();
      }
      at++;
      if (at == end) {
        throw error(at - 1, "a list ends with a comma");
      }
    }
    String text = input.substring(start, end).toUpperCase(Locale.ROOT);
    boolean everyYear = kind != CronFieldKind.YEAR || text.equals("*");
    return new CronField(
        kind,
        text,
        bits,
        everyYear ? YearSet.EVERY : YearSet.of(years),
        star,
        open,
        hashed,
        new CronField.SpecialDays(last, nearest, lastWeekday, nth));
  }

  /** True if a weekday is given by a number that other dialects read as another day. */
  boolean hasAmbiguousWeekday() {
    return bareWeekday && !zero;
  }

  ScheduleSyntaxException error(int position, String problem) {
    return new ScheduleSyntaxException(input, kind.label, position, problem, kind.allowed(dialect));
  }

  private void item() {
    if (at == end) {
      throw error(at, "a value is missing");
    }
    char c = upper(peek());
    if (c == '*' || (c == '/' && dialect == CronDialect.QUARTZ)) {
      at += c == '*' ? 1 : 0;
      star = true;
      open = true;
      add(kind.min, kind.max, optionalStep());
    } else if (c == '?') {
      noSpecificValue();
    } else if (c == 'H') {
      hash();
    } else if (c == 'L' && kind.isDay()) {
      last();
    } else {
      value();
    }
  }

  private void noSpecificValue() {
    if (!kind.isDay()) {
      throw error(at, "? stands for no day in particular and is for the day fields only");
    }
    if (dialect == CronDialect.UNIX) {
      throw error(at, "crontab knows no ?; write *");
    }
    if (start + 1 != end) {
      throw error(at, "? must stand alone");
    }
    at++;
    star = true;
    add(kind.min, kind.max, 1);
  }

  private void hash() {
    int from = at;
    if (dialect != CronDialect.STANDARD) {
      throw error(from, dialect.label + " cron knows no H");
    }
    if (kind == CronFieldKind.YEAR) {
      throw error(from, "a year can't be chosen by hash");
    }
    at++;
    hashed = true;
    int low = kind.min;
    int high = kind == CronFieldKind.DAY_OF_MONTH ? 28 : kind.max; // a day that every month has
    boolean bounded = at < end && peek() == '(';
    if (bounded) {
      at++;
      int lowAt = at;
      low = plainValue();
      expect('-');
      high = plainValue();
      expect(')');
      if (low > high) {
        throw error(lowAt, "the bounds of H must grow, but were " + low + " and " + high);
      }
    }
    boolean stepped = at < end && peek() == '/';
    int step = optionalStep();
    long hash = StableHash.of(kind.label + "/" + task, 0);
    int width = high - low + 1;
    if (stepped) {
      open |= !bounded;
      add(low + (int) Math.floorMod(hash, (long) Math.min(step, width)), high, step);
    } else {
      int value = low + (int) Math.floorMod(hash, (long) width);
      add(value, value, 1);
    }
  }

  private void last() {
    if (dialect == CronDialect.UNIX) {
      throw error(at, "crontab knows no L");
    }
    if (kind == CronFieldKind.DAY_OF_WEEK) {
      if (dialect == CronDialect.QUARTZ && at + 1 == end) {
        at++;
        add(6, 6, 1); // Quartz's last day of the week
        return;
      }
      throw error(at, "L needs a day before it, as in FRIL for the last Friday of the month");
    }
    at++;
    int before = 0;
    if (at < end && peek() == '-') {
      at++;
      int position = at;
      before = number();
      if (before > 30) {
        throw error(position, "L-" + before + " is before every month's first day; at most L-30");
      }
    }
    if (at < end && upper(peek()) == 'W') {
      at++;
      lastWeekday |= 1L << before;
    } else {
      last |= 1L << before;
    }
  }

  private void value() {
    int position = at;
    int low = plainValue();
    char c = at < end ? upper(peek()) : ',';
    if (c == 'W' && kind == CronFieldKind.DAY_OF_MONTH) {
      extension();
      nearest |= 1L << low;
    } else if (c == 'L' && kind == CronFieldKind.DAY_OF_WEEK) {
      extension();
      last |= 1L << low % 7;
    } else if (c == '#' && kind == CronFieldKind.DAY_OF_WEEK) {
      extension();
      int countAt = at;
      int count = number();
      if (count < 1 || count > 5) {
        throw error(countAt, "a month has its days of the week 1 to 5 times, not " + count);
      }
      nth |= 1L << (7 * (count - 1) + low % 7);
    } else if (c == '-') {
      at++;
      range(position, low);
    } else if (c == '/') {
      openStep(position, low);
    } else {
      add(low, low, 1);
    }
  }

  private void extension() {
    if (dialect == CronDialect.UNIX) {
      throw error(at, "crontab knows no " + upper(peek()));
    }
    at++;
  }

  private void range(int position, int from) {
    int to = plainValue();
    boolean fromSunday = kind == CronFieldKind.DAY_OF_WEEK && from == 7;
    int low = fromSunday ? 0 : from;
    int high = fromSunday && to == 7 ? 0 : to;
    boolean wraps = low > high;
    if (wraps && kind == CronFieldKind.YEAR) {
      throw error(position, "years do not start again: " + low + " is after " + high);
    }
    if (wraps && dialect == CronDialect.UNIX) {
      throw error(position, "crontab ranges must grow; write two ranges");
    }
    open |= low == kind.min && high == kind.max;
    add(low, wraps ? high + kind.size() : high, optionalStep());
  }

  private void openStep(int position, int low) {
    if (dialect == CronDialect.UNIX) {
      throw error(
          position,
          "cron programs disagree on a step after a single value; write a range, as in "
              + low
              + "-"
              + kind.max
              + "/n");
    }
    open = true;
    add(low % (kind == CronFieldKind.DAY_OF_WEEK ? 7 : 10_000), kind.max, optionalStep());
  }

  private int optionalStep() {
    if (at == end || peek() != '/') {
      return 1;
    }
    at++;
    int position = at;
    int step = number();
    if (step < 1 || step > kind.size() - 1) {
      throw error(
          position, "a step in " + kind.label + " is 1 to " + (kind.size() - 1) + ", not " + step);
    }
    return step;
  }

  /** A number or a name, in our numbering; 7 stays 7 so that a range can end with Sunday. */
  private int plainValue() {
    int position = at;
    if (at < end && isLetter(peek())) {
      int value = at + 3 <= end ? kind.named(input.substring(at, at + 3)) : -1;
      if (value < 0) {
        throw unexpected();
      }
      at += 3;
      return value;
    }
    int value = number();
    int low = kind.min;
    int high = kind.max;
    if (kind == CronFieldKind.DAY_OF_WEEK) {
      low = dialect == CronDialect.QUARTZ ? 1 : 0;
      high = 7;
    }
    if (value < low || value > high) {
      String hint =
          kind == CronFieldKind.DAY_OF_WEEK && value >= 1970
              ? "; a year needs 7 fields, the seconds first"
              : "";
      throw error(position, value + " is not between " + low + " and " + high + hint);
    }
    if (kind == CronFieldKind.DAY_OF_WEEK) {
      bareWeekday = true;
      zero |= value == 0;
      return dialect == CronDialect.QUARTZ ? value - 1 : value;
    }
    return value;
  }

  private int number() {
    int position = at;
    int value = 0;
    while (at < end && peek() >= '0' && peek() <= '9') {
      value = value * 10 + (peek() - '0');
      at++;
      if (value > 9999) {
        throw error(position, "the number is too large");
      }
    }
    if (at == position) {
      throw at == end ? error(at, "a value is missing") : unexpected();
    }
    return value;
  }

  private void expect(char c) {
    if (at == end || peek() != c) {
      throw error(at, c + " is missing");
    }
    at++;
  }

  private void add(int low, int high, int step) {
    for (int value = low; value <= high; value += step) {
      int wrapped = value > kind.max ? value - kind.size() : value;
      if (kind == CronFieldKind.YEAR) {
        years.set(wrapped - LocalTimes.FIRST_YEAR);
      } else {
        bits |= 1L << wrapped;
      }
    }
  }

  private ScheduleSyntaxException unexpected() {
    int length = Character.charCount(input.codePointAt(at));
    int to = at;
    while (isLetter(peek()) && to < end && isLetter(input.charAt(to)) && to < at + 20) {
      to++;
    }
    String shown = input.substring(at, Math.min(end, Math.max(to, at + length)));
    boolean printable = shown.codePoints().noneMatch(Character::isISOControl);
    return error(at, printable ? shown + " does not fit here" : "this character does not fit here");
  }

  private char peek() {
    return input.charAt(at);
  }

  private static boolean isLetter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  private static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char) (c - 32) : c;
  }
}
