package dev.monotick.cli;

import dev.monotick.schedule.Cron;
import dev.monotick.schedule.Schedule;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says what a schedule means and when it fires next. */
@Command(
    name = "explain",
    description = "Says in plain English what a schedule means, and when it fires next.",
    mixinStandardHelpOptions = true)
final class ExplainCommand implements Runnable {

  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("EEE uuuu-MM-dd HH:mm:ss xxx", Locale.ENGLISH);
  private static final Instant END = Instant.parse("9999-12-31T00:00:00Z");
  private static final int MOST_FIRES = 100_000;

  private final Clock clock;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "EXPR",
      description = "A cron expression of 5, 6 or 7 fields, a macro such as @daily, or @every 90s.")
  private String expression = "";

  @Option(names = "--zone", paramLabel = "Z", description = "IANA time zone; UTC if left out.")
  private @Nullable String zone;

  @Option(
      names = "--from",
      paramLabel = "INSTANT",
      description = "First instant to look at, such as 2026-03-28T00:00:00Z; now if left out.")
  private @Nullable String from;

  @Option(names = "-n", paramLabel = "N", description = "How many fires to show; 10 if left out.")
  private int count = 10;

  @Option(names = "--quartz", description = "Read the expression as Quartz does.")
  private boolean quartz;

  @Option(
      names = "--gap",
      paramLabel = "P",
      description = "What left-out times do: ${COMPLETION-CANDIDATES}.")
  private Cron.@Nullable Gap gap;

  @Option(
      names = "--overlap",
      paramLabel = "P",
      description = "What repeated times do: ${COMPLETION-CANDIDATES}.")
  private Cron.@Nullable Overlap overlap;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  ExplainCommand(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void run() {
    CommandSpec known = spec;
    if (known == null) {
      throw new IllegalStateException("explain runs inside of the command line only");
    }
    if (count < 1 || count > MOST_FIRES) {
      throw new ParameterException(
          known.commandLine(), "-n must be 1 to " + MOST_FIRES + ", but was " + count);
    }
    Schedule schedule = schedule(known);
    Instant start = start(known);
    List<Instant> fires = schedule.between(start, END, count);
    PrintWriter out = known.commandLine().getOut();
    if (json) {
      out.println(Json.explanation(schedule.describe(), fires));
    } else {
      print(out, schedule, fires);
    }
    out.flush();
  }

  private Schedule schedule(CommandSpec known) {
    Schedule schedule = quartz ? Cron.quartz(expression) : Schedule.parse(expression);
    if (schedule instanceof Cron cron) {
      Cron changed = zone == null ? cron : cron.zone(zone);
      changed = gap == null ? changed : changed.gap(gap);
      return overlap == null ? changed : changed.overlap(overlap);
    }
    boolean knowsNoZone = schedule.toString().matches("@(every|delay) .*");
    if (zone != null && !knowsNoZone) {
      throw new ParameterException(
          known.commandLine(),
          "--zone is for plain cron expressions and intervals; in a longer text write ; zone="
              + zone
              + " behind the cron expression");
    }
    if (gap != null || overlap != null) {
      throw new ParameterException(
          known.commandLine(), "--gap and --overlap are for cron expressions, not for " + schedule);
    }
    return schedule;
  }

  private Instant start(CommandSpec known) {
    if (from == null) {
      return clock.instant();
    }
    try {
      return Instant.parse(from);
    } catch (java.time.DateTimeException bad) {
      throw new ParameterException(
          known.commandLine(),
          "--from must be an instant such as 2026-03-28T00:00:00Z, but was " + from,
          bad);
    }
  }

  private void print(PrintWriter out, Schedule schedule, List<Instant> fires) {
    ZoneId shown = zone == null ? schedule.zone() : Schedule.zoneOf(zone);
    out.println(schedule.describe());
    out.println();
    if (schedule.anchor() == Schedule.Anchor.LAST_END) {
      out.println("  Each time depends on when the run before it ended.");
    } else if (fires.isEmpty()) {
      out.println("  It does not fire any more.");
    }
    for (Instant fire : fires) {
      ZonedDateTime local = fire.atZone(shown);
      String remark = ClockChange.remark(local);
      out.println(
          "  " + fire + "   " + LOCAL.format(local) + (remark.isEmpty() ? "" : "   " + remark));
    }
  }
}
