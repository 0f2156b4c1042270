package dev.monotick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ExplainCommandTest {

  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-03-27T12:00:00Z"), ZoneOffset.UTC);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void jsonHasTheDescriptionAndTheFires() {
    int code =
        run(
            "explain",
            "30 2 * * *",
            "--zone",
            "Europe/Berlin",
            "--from",
            "2026-03-28T12:00:00Z",
            "-n",
            "2",
            "--json");
    assertThat(code).isZero();
    assertThat(out.toString().strip())
        .isEqualTo(
            "{\"description\":\"At 02:30 every day, Europe/Berlin; moved to 03:00 when clocks go"
                + " forward\",\"fires\":[\"2026-03-29T01:00:00Z\",\"2026-03-30T00:30:00Z\"]}");
  }

  @Test
  void zoneThatWouldHaveNoEffectIsRefused() {
    assertThat(run("explain", "0 9 * * *; from=2026-01-01T00:00:00Z", "--zone", "Europe/Berlin"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--zone is for plain cron expressions");
  }

  @Test
  void textHasUtcLocalTimeAndRemarks() {
    assertThat(run("explain", "30 2 * * *", "--zone", "Europe/Berlin", "-n", "3")).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "At 02:30 every day, Europe/Berlin; moved to 03:00 when clocks go forward",
            "",
            "  2026-03-28T01:30:00Z   Sat 2026-03-28 02:30:00 +01:00",
            "  2026-03-29T01:00:00Z   Sun 2026-03-29 03:00:00 +02:00   clocks go forward from 02:00"
                + " to 03:00, and this is the first time after it",
            "  2026-03-30T00:30:00Z   Mon 2026-03-30 02:30:00 +02:00");
  }

  @Test
  void policiesAreTakenFromTheOptions() {
    run(
        "explain",
        "30 2 * * *",
        "--zone",
        "Europe/Berlin",
        "--gap",
        "skip",
        "--overlap",
        "both",
        "--from",
        "2026-10-25T00:00:00Z",
        "-n",
        "2");
    assertThat(out.toString())
        .contains("left out when clocks go forward; twice when clocks go back")
        .contains("2026-10-25T00:30:00Z   Sun 2026-10-25 02:30:00 +02:00   the first 02:30")
        .contains("2026-10-25T01:30:00Z   Sun 2026-10-25 02:30:00 +01:00   the second 02:30");
  }

  @Test
  void quartzExpressionsAreReadAsQuartzDoes() {
    assertThat(run("explain", "0 0 12 ? * 2", "--quartz", "-n", "1", "--json")).isZero();
    assertThat(out.toString()).contains("on Monday").contains("2026-03-30T12:00:00Z");
  }

  @Test
  void badExpressionIsPointedAtAndEndsWithTwo() {
    assertThat(run("explain", "0 24 * * *")).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().lines())
        .startsWith("24 is not between 0 and 23 (hour)", "  0 24 * * *", "    ^");
  }

  @Test
  void otherBadArgumentsEndWithTwoToo() {
    assertThat(run("explain", "@daily", "--zone", "Europe/Berln")).isEqualTo(2);
    assertThat(err.toString()).contains("did you mean Europe/Berlin?");
    assertThat(run("explain", "@daily", "--from", "tomorrow")).isEqualTo(2);
    assertThat(run("explain", "@daily", "-n", "0")).isEqualTo(2);
    assertThat(run("explain", "@every 5m", "--gap", "SKIP")).isEqualTo(2);
    assertThat(run("explain")).isEqualTo(2);
    assertThat(run()).isEqualTo(2);
    assertThat(run("explain", "@daily", "--gap", "later")).isEqualTo(2);
  }

  @Test
  void intervalsAndFixedDelaysAreExplainedToo() {
    assertThat(run("explain", "@every 90s", "-n", "2")).isZero();
    assertThat(out.toString()).contains("Every 90 seconds").contains("2026-03-27T12:00:00Z");
    assertThat(run("explain", "@delay 5m")).isZero();
    assertThat(out.toString()).contains("depends on when the run before it ended");
  }

  private int run(String... arguments) {
    CommandLine line = MonotickCommand.create(CLOCK);
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }
}
