package dev.monotick.bench.cron;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Our cron beside those of Spring, Quartz and cron-utils, on random expressions that all of them
 * know, away from clock changes: no difference but those that a rule below explains.
 */
class CronDifferentialTest {

  /** The same in every build, unless told: a number, or "random". */
  private static final long SEED =
      "random".equals(System.getProperty("monotick.seed"))
          ? System.nanoTime()
          : Long.getLong("monotick.seed", 1L);

  private static final Instant FIRST = Instant.parse("2020-01-01T00:00:00Z");
  private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");
  private static final List<CronLibrary> PEERS =
      List.of(CronLibrary.SPRING, CronLibrary.QUARTZ, CronLibrary.CRON_UTILS);

  /** One expression, spelled for each dialect, and what the rules below need to know of it. */
  private record Sample(String standard, String quartz, String day) {}

  @Test
  void randomExpressionsAgreeWithThreeOtherLibraries() {
    Random random = new Random(SEED);
    Map<CronLibrary, Integer> compared = new EnumMap<>(CronLibrary.class);
    List<String> unexplained = new ArrayList<>();
    for (int i = 0; i < 3000 && unexplained.size() < 20; i++) {
      Sample sample = sample(random);
      ZoneId zone = random.nextBoolean() ? ZoneOffset.UTC : ZoneId.of("Europe/Berlin");
      Instant start = FIRST.plusSeconds((long) (random.nextDouble() * 10 * 365 * 86_400));
      for (CronLibrary peer : PEERS) {
        String difference = compare(peer, sample, zone, start);
        if (difference.isEmpty()) {
          compared.merge(peer, 1, Integer::sum);
        } else {
          unexplained.add(peer.label + ": " + difference);
        }
      }
    }
    assertThat(unexplained).as("again with -Dmonotick.seed=" + SEED).isEmpty();
    for (CronLibrary peer : PEERS) {
      assertThat(compared.get(peer))
          .as("expressions compared with " + peer.label)
          .isGreaterThan(2000);
    }
  }

  /** The differences we know, each with its reason. */
  private static boolean explained(
      CronLibrary peer, Sample sample, ZoneId zone, Instant ours, Instant theirs) {
    if (!sample.day().endsWith("W") || ours.equals(theirs)) {
      return false;
    }
    if (peer == CronLibrary.QUARTZ) {
      // Quartz keeps the time of day it was asked about when W moves it to another day, and so
      // loses the times of that day that are earlier, or all of them.
      return theirs.isAfter(ours);
    }
    // The weekday nearest to a Sunday that ends the month is the Friday before. Quartz and we say
    // so; Spring leaves out the month, and cron-utils fires on the Sunday.
    LocalDate date = LocalDate.ofInstant(ours, zone);
    LocalDate last = date.withDayOfMonth(date.lengthOfMonth());
    return last.getDayOfWeek() == DayOfWeek.SUNDAY
        && sample.day().equals(last.getDayOfMonth() + "W")
        && date.equals(last.minusDays(2));
  }

  private static String compare(CronLibrary peer, Sample sample, ZoneId zone, Instant start) {
    CronWalk ours;
    try {
      ours = CronLibrary.MONOTICK.walk(sample.standard(), zone);
    } catch (IllegalArgumentException refused) {
      return sample + " refused by us: " + refused.getMessage();
    }
    CronWalk theirs;
    try {
      theirs = peer.walk(peer == CronLibrary.SPRING ? sample.standard() : sample.quartz(), zone);
    } catch (RuntimeException refused) {
      return sample + " refused by them: " + refused.getMessage();
    }
    ours.reset(start);
    theirs.reset(start);
    for (int step = 0; step < 12; step++) {
      Instant before = ours.time();
      ours.step();
      try {
        theirs.step();
      } catch (RuntimeException gaveUp) {
        if (peer == CronLibrary.CRON_UTILS && sample.day().matches("(29|30)W")) {
          return ""; // cron-utils breaks in a month without that day; we leave the month out
        }
        return sample + " after " + before + ": " + ours.time() + ", but they threw " + gaveUp;
      }
      if (nearClockChange(zone, before, ours.time())) {
        return "";
      }
      if (explained(peer, sample, zone, ours.time(), theirs.time())) {
        return "";
      }
      if (!ours.time().equals(theirs.time())) {
        return sample + " after " + before + ": " + ours.time() + ", but they " + theirs.time();
      }
    }
    return "";
  }

  /** True if the clocks change at most three hours before or after one of the two times. */
  private static boolean nearClockChange(ZoneId zone, Instant before, Instant after) {
    for (Instant time : List.of(before, after)) {
      ZoneOffsetTransition next = zone.getRules().nextTransition(time.minus(Duration.ofHours(3)));
      if (next != null && next.getInstant().isBefore(time.plus(Duration.ofHours(3)))) {
        return true;
      }
    }
    // A change between the two may have had a time of its own in it.
    ZoneOffsetTransition next = zone.getRules().nextTransition(before);
    return next != null
        && next.getInstant().isBefore(after)
        && Duration.between(before, after).toDays() < 2;
  }

  private static Sample sample(Random random) {
    String times = field(random, 0, 59) + " " + field(random, 0, 59) + " " + field(random, 0, 23);
    String month = random.nextInt(3) == 0 ? field(random, 1, 12) : "*";
    if (random.nextInt(3) > 0) {
      String day = dayOfMonth(random, month);
      return new Sample(
          times + " " + day + " " + month + " *", times + " " + day + " " + month + " ?", day);
    }
    int number = random.nextInt(7);
    int other = number + random.nextInt(7 - number);
    int count = 1 + random.nextInt(4);
    String end = " ";
    return switch (random.nextInt(4)) {
      case 0 ->
          new Sample(
              times + " *" + end + month + " " + DAYS.get(number),
              times + " ?" + end + month + " " + DAYS.get(number),
              DAYS.get(number));
      case 1 -> {
        // Spring's week begins with Monday, so a range from Sunday has to be written as 7 there.
        int from = Math.max(1, number);
        int to = Math.max(from, other);
        String range = DAYS.get(from) + "-" + DAYS.get(to);
        yield new Sample(
            times + " *" + end + month + " " + range,
            times + " ?" + end + month + " " + range,
            range);
      }
      case 2 ->
          new Sample(
              times + " *" + end + month + " " + number + "L",
              times + " ?" + end + month + " " + (number + 1) + "L",
              "nL");
      default ->
          new Sample(
              times + " *" + end + month + " " + number + "#" + count,
              times + " ?" + end + month + " " + (number + 1) + "#" + count,
              "n#k");
    };
  }

  private static String dayOfMonth(Random random, String month) {
    return switch (random.nextInt(6)) {
      case 0 -> "L";
      case 1 -> "LW";
      case 2 -> (1 + random.nextInt(30)) + "W";
      case 3 -> "L-" + (1 + random.nextInt(5));
      default -> month.equals("*") ? field(random, 1, 31) : field(random, 1, 28);
    };
  }

  private static String field(Random random, int min, int max) {
    int size = max - min + 1;
    int low = min + random.nextInt(size);
    int high = low + random.nextInt(max - low + 1);
    int step = 1 + random.nextInt(size - 1);
    return switch (random.nextInt(6)) {
      case 0 -> "*";
      case 1 -> "*/" + step;
      case 2 -> low + "/" + step;
      case 3 -> low + "-" + high;
      case 4 -> low + "-" + high + "/" + step;
      default -> {
        TreeSet<Integer> values = new TreeSet<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
          values.add(min + random.nextInt(size));
        }
        yield String.join(",", values.stream().map(String::valueOf).toList());
      }
    };
  }
}
