package dev.monotick.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * A random expression together with what it means, as plain sets and predicates: the meaning is
 * made here and not read from the text, so that parser and arithmetic are tested against something
 * that shares no code with them.
 */
final class RandomCron {

  private static final List<String> MONTHS =
      List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
  private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

  private record Field(String text, Set<Integer> values, boolean open, boolean star) {}

  private record DayField(String text, Predicate<LocalDate> matches, boolean star) {}

  final String text;
  final boolean elapsed;
  private final Set<Integer> seconds;
  private final Field minute;
  private final Field hour;
  private final Field month;
  private final DayField dayOfMonth;
  private final DayField dayOfWeek;
  private final Cron.Days rule;

  private RandomCron(
      Field second,
      Field minute,
      Field hour,
      DayField dayOfMonth,
      Field month,
      DayField dayOfWeek,
      Cron.Days rule) {
    this.seconds = second.values();
    this.minute = minute;
    this.hour = hour;
    this.dayOfMonth = dayOfMonth;
    this.month = month;
    this.dayOfWeek = dayOfWeek;
    this.rule = rule;
    this.elapsed = minute.open() || hour.open();
    String rest =
        String.join(
            " ", minute.text(), hour.text(), dayOfMonth.text(), month.text(), dayOfWeek.text());
    this.text = second.text().isEmpty() ? rest : second.text() + " " + rest;
  }

  /** An expression of any shape. */
  static RandomCron any(Random random, boolean withSeconds, Cron.Days rule) {
    return new RandomCron(
        withSeconds ? field(random, 0, 59) : new Field("", Set.of(0), false, false),
        field(random, 0, 59),
        field(random, 0, 23),
        random.nextInt(3) == 0 ? anyDay() : dayOfMonth(random),
        random.nextInt(3) == 0 ? month(random) : all(1, 12),
        random.nextInt(2) == 0 ? anyDay() : dayOfWeek(random),
        rule);
  }

  /** An expression that fires near a local time, so that a change of clocks touches it. */
  static RandomCron near(Random random, LocalDateTime time) {
    Field minute = random.nextInt(3) > 0 ? some(random, 0, 59, 0) : field(random, 0, 59);
    Field hour;
    if (random.nextInt(4) > 0) {
      hour = some(random, 0, 23, (time.getHour() + random.nextInt(5) - 2 + 24) % 24);
    } else {
      hour = field(random, 0, 23);
    }
    return new RandomCron(
        new Field("", Set.of(0), false, false),
        minute,
        hour,
        random.nextInt(4) > 0 ? anyDay() : dayOfMonth(random),
        all(1, 12),
        random.nextInt(4) > 0 ? anyDay() : dayOfWeek(random),
        Cron.Days.OR);
  }

  boolean matchesDay(LocalDate date) {
    if (!month.values().contains(date.getMonthValue())) {
      return false;
    }
    boolean ofMonth = dayOfMonth.matches().test(date);
    boolean ofWeek = dayOfWeek.matches().test(date);
    boolean either = !dayOfMonth.star() && !dayOfWeek.star() && rule == Cron.Days.OR;
    return either ? ofMonth || ofWeek : ofMonth && ofWeek;
  }

  boolean matchesTime(LocalDateTime time) {
    return seconds.contains(time.getSecond())
        && minute.values().contains(time.getMinute())
        && hour.values().contains(time.getHour());
  }

  private static Field all(int min, int max) {
    return new Field("*", range(min, max, 1, min, max), true, true);
  }

  private static Field some(Random random, int min, int max, int around) {
    Set<Integer> values = new TreeSet<>();
    values.add(around == 0 ? min + random.nextInt(max - min + 1) : around);
    int more = random.nextInt(3);
    for (int i = 0; i < more; i++) {
      values.add(min + random.nextInt(max - min + 1));
    }
    return new Field(join(values), values, false, false);
  }

  private static Field field(Random random, int min, int max) {
    int size = max - min + 1;
    int low = min + random.nextInt(size);
    int high = min + random.nextInt(size);
    int step = 1 + random.nextInt(size - 1);
    return switch (random.nextInt(7)) {
      case 0 -> all(min, max);
      case 1 -> new Field("*/" + step, range(min, max, step, min, max), true, true);
      case 2 -> new Field(low + "/" + step, range(low, max, step, min, max), true, false);
      case 3 ->
          new Field(
              low + "-" + high, range(low, high, 1, min, max), low == min && high == max, false);
      case 4 ->
          new Field(
              low + "-" + high + "/" + step,
              range(low, high, step, min, max),
              low == min && high == max,
              false);
      default -> some(random, min, max, 0);
    };
  }

  private static Field month(Random random) {
    Field field = field(random, 1, 12);
    if (field.star() || field.text().contains("/") || random.nextBoolean()) {
      return field;
    }
    return new Field(named(field.text(), MONTHS, 1, random), field.values(), false, false);
  }

  private static DayField anyDay() {
    return new DayField("*", date -> true, true);
  }

  private static DayField dayOfMonth(Random random) {
    int number = 1 + random.nextInt(31);
    int before = random.nextInt(6);
    return switch (random.nextInt(7)) {
      case 0 -> new DayField("L", date -> fromLast(date) == 0, false);
      case 1 -> new DayField("L-" + before, date -> fromLast(date) == before, false);
      case 2 -> new DayField("LW", date -> date.equals(nearest(date, date.lengthOfMonth())), false);
      case 3 -> new DayField(number + "W", date -> date.equals(nearest(date, number)), false);
      case 4 ->
          new DayField(
              number + ",L", date -> fromLast(date) == 0 || date.getDayOfMonth() == number, false);
      default -> {
        Field field = field(random, 1, 31);
        yield new DayField(
            field.text(), date -> field.values().contains(date.getDayOfMonth()), field.star());
      }
    };
  }

  private static DayField dayOfWeek(Random random) {
    int day = random.nextInt(7);
    int count = 1 + random.nextInt(5);
    String name = random.nextBoolean() ? DAYS.get(day) : Integer.toString(day);
    return switch (random.nextInt(5)) {
      case 0 -> new DayField(name + "L", date -> weekday(date) == day && fromLast(date) < 7, false);
      case 1 ->
          new DayField(
              name + "#" + count,
              date -> weekday(date) == day && (date.getDayOfMonth() + 6) / 7 == count,
              false);
      case 2 -> {
        int from = random.nextInt(7);
        // A range that ends with 7 ends with Sunday.
        Set<Integer> values = new TreeSet<>(Set.of(0));
        values.addAll(range(from, 6, 1, 0, 6));
        yield new DayField(from + "-7", date -> values.contains(weekday(date)), false);
      }
      default -> {
        Field field = field(random, 0, 6);
        String text =
            field.star() || field.text().contains("/") || random.nextBoolean()
                ? field.text()
                : named(field.text(), DAYS, 0, random);
        yield new DayField(text, date -> field.values().contains(weekday(date)), field.star());
      }
    };
  }

  private static int weekday(LocalDate date) {
    return date.getDayOfWeek().getValue() % 7;
  }

  private static int fromLast(LocalDate date) {
    return date.lengthOfMonth() - date.getDayOfMonth();
  }

  /** The weekday nearest to a day of the date's month, or a date elsewhere if there is no such. */
  private static LocalDate nearest(LocalDate date, int day) {
    if (day > date.lengthOfMonth()) {
      return LocalDate.MIN;
    }
    LocalDate target = date.withDayOfMonth(day);
    LocalDate best = LocalDate.MIN;
    for (int distance : new int[] {0, -1, 1, -2, 2}) {
      LocalDate candidate = target.plusDays(distance);
      if (best.equals(LocalDate.MIN)
          && candidate.getMonth() == target.getMonth()
          && candidate.getDayOfWeek().getValue() <= 5) {
        best = candidate;
      }
    }
    return best;
  }

  /** Counts from low to high in steps, starting again at the field's beginning if need be. */
  private static Set<Integer> range(int low, int high, int step, int min, int max) {
    Set<Integer> values = new TreeSet<>();
    int value = low;
    int walked = 0;
    while (true) {
      if (walked % step == 0) {
        values.add(value);
      }
      if (value == high) {
        return values;
      }
      value = value == max ? min : value + 1;
      walked++;
    }
  }

  private static String named(String text, List<String> names, int first, Random random) {
    StringBuilder named = new StringBuilder();
    for (String item : text.split(",", -1)) {
      StringBuilder range = new StringBuilder();
      for (String value : item.split("-", -1)) {
        String name = names.get(Integer.parseInt(value) - first);
        String spelled = random.nextBoolean() ? name : name.toLowerCase(Locale.ROOT);
        range.append(range.isEmpty() ? "" : "-").append(spelled);
      }
      named.append(named.isEmpty() ? "" : ",").append(range);
    }
    return named.toString();
  }

  private static String join(Set<Integer> values) {
    StringBuilder text = new StringBuilder();
    values.forEach(value -> text.append(text.isEmpty() ? "" : ",").append(value));
    return text.toString();
  }
}
