package dev.monotick.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Whatever is typed: a schedule or a clear refusal, and soon. */
class ParserFuzzTest {

  private static final Duration LIMIT = Duration.ofMillis(50);
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final String ALPHABET =
      "0123456789*/-,?LWH#()@ \t;={}ZTPAFNSMOREIUadefinorsuvy.:+";

  private static final List<String> SEEDS =
      List.of(
          "30 2 * * MON-FRI; zone=Europe/Berlin; gap=SKIP; overlap=LAST; days=AND",
          "0 0/15 9-17 LW * ? 2027",
          "H H(2-4)/2 15W,L-3 JAN-MAR 5#3,FRIL",
          "@every 1h30m; phase=90s; from=2026-01-01T00:00:00Z; maximum=99",
          "{0 0 * * *} or {@every 90s; except={SAT,2026-12-25,2026-12-24..2027-01-02} in UTC}",
          "@at 2026-03-29T01:00:00Z; until=2027-01-01T00:00:00Z",
          "@delay 5m",
          "0 0 29 2 MON; days=AND",
          "0 0 12 ? * 2; dialect=quartz",
          "@daily; task={a}");

  private static final List<Function<String, Object>> PARSERS =
      List.of(Schedule::parse, Schedule::cron, Cron::of, Cron::quartz, Cron::unix);

  private int accepted;

  @Test
  void randomStringsAreReadOrRefused() {
    Random random = Seeds.random("random strings");
    for (int i = 0; i < 10_000; i++) {
      StringBuilder input = new StringBuilder();
      int length = random.nextInt(60);
      boolean anyCharacter = random.nextInt(4) == 0;
      for (int c = 0; c < length; c++) {
        input.append(
            anyCharacter
                ? (char) random.nextInt(0x10000)
                : ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
      feed(input.toString());
    }
  }

  @Test
  void fieldsMadeOfLikelyPiecesAreReadOrRefused() {
    Random random = Seeds.random("pieces");
    List<String> pieces =
        List.of(
            "*",
            "?",
            "L",
            "W",
            "LW",
            "H",
            "0",
            "1",
            "5",
            "7",
            "12",
            "31",
            "59",
            "60",
            "2027",
            "-",
            "/",
            ",",
            "#",
            "MON",
            "feb",
            "(",
            ")",
            "*/2",
            "H(1-5)/2",
            "L-3",
            "5L",
            "1#5",
            "9999");
    for (int i = 0; i < 10_000; i++) {
      StringBuilder input = new StringBuilder();
      int fields = 4 + random.nextInt(4);
      for (int f = 0; f < fields; f++) {
        input.append(f == 0 ? "" : " ");
        int count = 1 + random.nextInt(random.nextInt(6) == 0 ? 5 : 1);
        for (int p = 0; p < count; p++) {
          boolean plain = random.nextInt(10) < 7;
          input.append(plain ? "*" : pieces.get(random.nextInt(pieces.size())));
        }
      }
      feed(input.toString());
    }
    assertThat(accepted).as("a fuzzer that is always refused tests little").isGreaterThan(100);
  }

  @Test
  void mutatedSchedulesAreReadOrRefused() {
    Random random = Seeds.random("mutations");
    for (int i = 0; i < 10_000; i++) {
      StringBuilder input = new StringBuilder(SEEDS.get(random.nextInt(SEEDS.size())));
      int mutations = 1 + random.nextInt(2);
      for (int m = 0; m < mutations && !input.isEmpty(); m++) {
        int at = random.nextInt(input.length());
        char c = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
        switch (random.nextInt(4)) {
          case 0 -> input.deleteCharAt(at);
          case 1 -> input.insert(at, c);
          case 2 -> input.setCharAt(at, c);
          default -> {
            int from = random.nextInt(input.length());
            String piece = input.substring(from, Math.min(input.length(), from + 10));
            input.insert(at, piece);
          }
        }
      }
      feed(input.toString());
    }
    assertThat(accepted).as("a fuzzer that is always refused tests little").isGreaterThan(300);
  }

  @Test
  void anyZoneIsFoundOrRefused() {
    Random random = Seeds.random("zones");
    for (int i = 0; i < 300; i++) {
      StringBuilder id = new StringBuilder("Europe/Berlin");
      id.setCharAt(random.nextInt(id.length()), (char) random.nextInt(0x10000));
      id.insert(random.nextInt(id.length()), (char) random.nextInt(0x80));
      feed(id.toString(), Zones::of);
    }
  }

  @Test
  void veryLongInputIsRefusedAtOnce() {
    for (String piece :
        List.of("*", "1,", " ", "{", "}", "{}", ";", "0 ", "@", "H(", "9", "\n", "-", "a/", "L")) {
      for (int length : List.of(900, 1001, 19_000, 1_000_000)) {
        feed(piece.repeat(length / piece.length()));
        feed("0 0 " + piece.repeat(length / piece.length()) + " * *");
        feed("@daily; except={" + piece.repeat(length / piece.length()) + "}");
        feed("@daily; zone=" + piece.repeat(length / piece.length()));
        feed("{".repeat(30) + "@daily" + "}".repeat(30) + piece.repeat(length / piece.length()));
      }
    }
    feed("@daily; except={" + "2026-01-01,".repeat(1700) + "SAT}");
    feed("@every 1ms; from=2026-01-01T00:00:00Z; maximum=10000");
    feed("{@every 1ms; from=2026-01-01T00:00:00Z; maximum=10000} or {@daily}".repeat(50));
  }

  private void feed(String input) {
    PARSERS.forEach(parser -> feed(input, parser));
  }

  private void feed(String input, Function<String, Object> parser) {
    long nanos = time(parser, input);
    // A busy machine, code not yet compiled and collected garbage are not the parser's: they may
    // make some tries slow, but not all of them.
    for (int again = 0; again < 20 && nanos > LIMIT.toNanos(); again++) {
      nanos = Math.min(nanos, time(parser, input));
    }
    if (nanos > LIMIT.toNanos()) {
      throw new AssertionError(Duration.ofNanos(nanos) + " for " + shown(input));
    }
  }

  private long time(Function<String, Object> parser, String input) {
    long start = System.nanoTime();
    Object result;
    try {
      result = parser.apply(input);
    } catch (ScheduleSyntaxException refusal) {
      long nanos = System.nanoTime() - start;
      String message = refusal.getMessage();
      if (message == null || !message.contains("^") || message.length() > 2000) {
        throw new AssertionError("unclear refusal of " + shown(input), refusal);
      }
      if (refusal.position() < 0 || refusal.position() > input.length()) {
        throw new AssertionError("pointer outside of " + shown(input), refusal);
      }
      return nanos;
    } catch (RuntimeException | StackOverflowError other) {
      throw new AssertionError("not a refusal: " + shown(input), other);
    }
    long nanos = System.nanoTime() - start;
    if (result instanceof Schedule schedule) {
      accepted++;
      if (accepted % 4 == 0) {
        use(schedule, input);
      }
    }
    return nanos;
  }

  private static void use(Schedule schedule, String input) {
    try {
      assertThat(schedule.describe()).isNotBlank();
      assertThat(Schedule.parse(schedule.toString())).isEqualTo(schedule);
      schedule.next(START);
      schedule.previous(START);
    } catch (RuntimeException | AssertionError bad) {
      throw new AssertionError("accepted but not usable: " + shown(input), bad);
    }
  }

  private static String shown(String input) {
    String start = input.substring(0, Math.min(200, input.length()));
    return "\"" + start + "\" (" + input.length() + " characters), " + Seeds.hint();
  }
}
