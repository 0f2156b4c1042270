package dev.monotick.schedule;

import dev.monotick.schedule.internal.Words;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Schedules as text, the way {@code toString} writes them.
 *
 * <pre>
 * schedule = base { "; " option }
 * base     = cron expression | "@every 90s" | "@delay 5m" | "@at 2026-03-29T01:00:00Z"
 *          | "{" schedule "}" { " or {" schedule "}" }
 * option   = dialect= zone= gap= overlap= days= task=       (of cron)
 *          | phase=                                         (of an interval)
 *          | from= until= maximum= "except={...} in zone"   (of all; they apply in their order)
 * </pre>
 */
final class ScheduleText {

  private static final int MAX_LENGTH = 20_000;
  private static final int MAX_DEPTH = 20;
  private static final String OPTIONS =
      "allowed are dialect zone gap overlap days task for cron, phase for @every, and"
          + " from until maximum except";

  private final String input;
  private final int depth;

  private ScheduleText(String input, int depth) {
    this.input = input;
    this.depth = depth;
  }

  static Schedule parse(String input) {
    if (input.length() > MAX_LENGTH) {
      throw new ScheduleSyntaxException(
          input, "schedule", MAX_LENGTH, "a schedule has at most 20000 characters", "shorten it");
    }
    return new ScheduleText(input, 0).schedule();
  }

  /** True for {@code @every ...}, in any case and with any spaces before it. */
  static boolean isInterval(String text) {
    return text.stripLeading().regionMatches(true, 0, "@every", 0, 6);
  }

  /** Writes a schedule so that options can follow; a union needs no more than it has. */
  static String base(Schedule schedule) {
    return schedule.toString();
  }

  /** A piece of the input, without spaces around it. */
  private record Piece(int start, int end) {}

  private Schedule schedule() {
    List<Piece> pieces = split();
    Schedule schedule = baseOf(pieces.get(0));
    for (Piece piece : pieces.subList(1, pieces.size())) {
      schedule = option(schedule, piece);
    }
    return schedule;
  }

  /** Splits at the semicolons outside of braces. */
  private List<Piece> split() {
    List<Piece> pieces = new ArrayList<>();
    int open = 0;
    int start = 0;
    for (int i = 0; i <= input.length(); i++) {
      char c = i == input.length() ? ';' : input.charAt(i);
      open += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (open < 0) {
        throw error("schedule", i, "this brace closes nothing", "remove it");
      }
      if (c == ';' && (open == 0 || i == input.length())) {
        pieces.add(trim(start, i));
        start = i + 1;
      }
    }
    if (open > 0) {
      throw error("schedule", input.length(), "a closing brace is missing", "add }");
    }
    return pieces;
  }

  private Piece trim(int start, int end) {
    int from = start;
    int to = end;
    while (from < to && input.charAt(from) <= ' ') {
      from++;
    }
    while (to > from && input.charAt(to - 1) <= ' ') {
      to--;
    }
    return new Piece(from, to);
  }

  private Schedule baseOf(Piece piece) {
    String text = input.substring(piece.start(), piece.end());
    if (text.startsWith("{")) {
      return union(piece);
    }
    String lower = text.length() > 7 ? text.substring(0, 7).toLowerCase(Locale.ROOT) : text;
    int argument = trim(Math.min(piece.end(), piece.start() + 7), piece.end()).start();
    if (isInterval(text) && (text.length() == 6 || text.charAt(6) <= ' ')) {
      Duration interval = Durations.parse(input, argument, piece.end());
      return checked(piece, () -> Interval.of(interval, Duration.ZERO));
    }
    if (lower.equals("@delay ")) {
      Duration delay = Durations.parse(input, argument, piece.end());
      return checked(piece, () -> new FixedDelay(delay));
    }
    if (lower.startsWith("@at ")) {
      Instant time = instant(trim(piece.start() + 4, piece.end()));
      return checked(piece, () -> new Once(time));
    }
    return Cron.of(input.substring(0, piece.end()), dialect());
  }

  /** The dialect changes how the expression is read, so it is looked up before the expression. */
  private CronDialect dialect() {
    for (Piece piece : split()) {
      String text = input.substring(piece.start(), piece.end());
      if (text.startsWith("dialect=")) {
        return choice(piece.start() + 8, piece.end(), "dialect", CronDialect.class);
      }
    }
    return CronDialect.STANDARD;
  }

  private Schedule union(Piece piece) {
    if (depth >= MAX_DEPTH) {
      throw error("schedule", piece.start(), "schedules are nested too deeply", "flatten them");
    }
    List<Schedule> parts = new ArrayList<>();
    int at = piece.start();
    while (true) {
      if (at >= piece.end() || input.charAt(at) != '{') {
        throw error("schedule", at, "{ is missing", "a union is written as {one} or {other}");
      }
      int close = closing(at);
      parts.add(new ScheduleText(input.substring(at + 1, close), depth + 1).schedule());
      Piece rest = trim(close + 1, piece.end());
      if (rest.start() == rest.end()) {
        break;
      }
      if (!input.startsWith("or", rest.start())) {
        throw error("schedule", rest.start(), "or is missing", "a union is written as {a} or {b}");
      }
      at = trim(Math.min(rest.start() + 2, piece.end()), piece.end()).start();
    }
    return checked(piece, () -> ScheduleUnion.of(parts));
  }

  private int closing(int open) {
    int depthHere = 0;
    for (int i = open; i < input.length(); i++) {
      depthHere += input.charAt(i) == '{' ? 1 : input.charAt(i) == '}' ? -1 : 0;
      if (depthHere == 0) {
        return i;
      }
    }
    throw error("schedule", open, "this brace is never closed", "add }");
  }

  private Schedule option(Schedule schedule, Piece piece) {
    int equals = input.indexOf('=', piece.start());
    if (equals < 0 || equals >= piece.end()) {
      throw error("option", piece.start(), "this is no option", OPTIONS);
    }
    String key = input.substring(piece.start(), equals);
    Piece value = trim(equals + 1, piece.end());
    String text = input.substring(value.start(), value.end());
    return switch (key) {
      case "from" -> checked(piece, () -> schedule.from(instant(value)));
      case "until" -> checked(piece, () -> schedule.until(instant(value)));
      case "maximum" -> checked(piece, () -> schedule.maximumRuns(number(value)));
      case "except" -> checked(piece, () -> except(schedule, value));
      case "phase" -> {
        if (!(schedule instanceof Interval interval)) {
          throw error(key, piece.start(), "only @every has a phase", OPTIONS);
        }
        Duration phase = Durations.parse(input, value.start(), value.end());
        yield checked(piece, () -> Interval.of(interval.interval(), phase));
      }
      case "dialect" -> cron(schedule, piece, cron -> cron);
      case "zone" -> cron(schedule, piece, cron -> cron.zone(text));
      case "gap" ->
          cron(
              schedule,
              piece,
              cron -> cron.gap(choice(value.start(), value.end(), key, Cron.Gap.class)));
      case "overlap" ->
          cron(
              schedule,
              piece,
              cron -> cron.overlap(choice(value.start(), value.end(), key, Cron.Overlap.class)));
      case "days" ->
          cron(
              schedule,
              piece,
              cron -> cron.days(choice(value.start(), value.end(), key, Cron.Days.class)));
      case "task" -> cron(schedule, piece, cron -> cron.forTask(unescape(unbraced(text))));
      default -> throw error("option", piece.start(), "this option is not known", OPTIONS);
    };
  }

  private Schedule cron(Schedule schedule, Piece piece, Function<Cron, Schedule> change) {
    if (schedule instanceof Cron cron) {
      return change.apply(cron);
    }
    throw error(
        "option", piece.start(), "this option must follow a cron expression directly", OPTIONS);
  }

  private Schedule except(Schedule schedule, Piece value) {
    if (value.start() == value.end() || input.charAt(value.start()) != '{') {
      throw error(
          "except", value.start(), "{ is missing", "as in except={SAT,SUN} in Europe/Paris");
    }
    int close = closing(value.start());
    ExclusionCalendar calendar = ExclusionCalendar.parse(input, value.start() + 1, close);
    Piece rest = trim(close + 1, value.end());
    if (rest.start() == rest.end()) {
      return schedule.except(calendar);
    }
    if (rest.end() - rest.start() < 3 || !input.startsWith("in ", rest.start())) {
      throw error(
          "except", rest.start(), "this does not fit", "as in except={SAT} in Europe/Paris");
    }
    Piece id = trim(rest.start() + 3, rest.end());
    ZoneId zone = Zones.of(input.substring(id.start(), id.end()));
    return schedule.except(calendar, zone);
  }

  /** A name may have braces, which would end it too early. */
  static String escape(String name) {
    return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
  }

  private static String unescape(String text) {
    return text.replace("%7D", "}").replace("%7B", "{").replace("%25", "%");
  }

  private static String unbraced(String text) {
    return text.startsWith("{") && text.endsWith("}") ? text.substring(1, text.length() - 1) : text;
  }

  private Instant instant(Piece piece) {
    try {
      return Instant.parse(input.substring(piece.start(), piece.end()));
    } catch (DateTimeException bad) {
      throw error("time", piece.start(), "this is no time in UTC", "write 2026-03-29T01:00:00Z");
    }
  }

  private int number(Piece piece) {
    String text = input.substring(piece.start(), piece.end());
    if (text.isEmpty() || text.length() > 9 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw error("maximum", piece.start(), "this is no number", "write digits only");
    }
    return Integer.parseInt(text);
  }

  private <E extends Enum<E>> E choice(int start, int end, String key, Class<E> type) {
    String text = input.substring(start, end).strip();
    for (E choice : type.getEnumConstants()) {
      if (choice.name().equalsIgnoreCase(text)) {
        return choice;
      }
    }
    throw error(
        key,
        start,
        "this is not a choice for " + key,
        key
            + " allows "
            + Words.list(Arrays.stream(type.getEnumConstants()).map(Enum::name).toList(), "or"));
  }

  /** Turns a plain refusal by a constructor into one that points. */
  private Schedule checked(Piece piece, Supplier<Schedule> creation) {
    try {
      return creation.get();
    } catch (ScheduleSyntaxException pointing) {
      throw pointing;
    } catch (IllegalArgumentException plain) {
      String message = plain.getMessage();
      throw error("schedule", piece.start(), message == null ? "refused" : message, OPTIONS);
    }
  }

  private ScheduleSyntaxException error(
      String field, int position, String problem, String allowed) {
    return new ScheduleSyntaxException(input, field, position, problem, allowed);
  }
}
