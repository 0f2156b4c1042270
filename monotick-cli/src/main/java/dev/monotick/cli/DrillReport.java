package dev.monotick.cli;

import dev.monotick.schedule.Schedule;
import dev.monotick.schedule.ScheduleSyntaxException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Holds what the tables say of the stretch of a drill against what should be there. */
final class DrillReport {

  private final Duration takeover;
  private final Map<String, Long> outcomes = new TreeMap<>();
  private final List<String> complaints = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private long due;
  private long doubled;
  private long lost;
  private long jobRuns;
  private long jobsDoubled;

  private DrillReport(Duration takeover) {
    this.takeover = takeover;
  }

  /**
   * Reads the tables.
   *
   * @param before what tasks were accounted for when the drill began
   * @param from when it began
   * @param takeover how long it took until another term began
   */
  static DrillReport of(
      Deployment deployment, List<Deployment.TaskCursor> before, Instant from, Duration takeover)
      throws SQLException {
    DrillReport report = new DrillReport(takeover);
    List<Deployment.TaskCursor> after = deployment.cursors();
    for (Deployment.TaskCursor task : before) {
      for (Deployment.TaskCursor now : after) {
        if (now.task().equals(task.task())) {
          report.compare(deployment, task, now);
        }
      }
    }
    Instant until = deployment.now();
    report.jobRuns = deployment.jobRuns(from, until);
    report.jobsDoubled = deployment.jobsDoubled(from, until);
    if (report.jobsDoubled > 0) {
      report.complaints.add(report.jobsDoubled + " jobs succeeded more than once");
    }
    long behind = deployment.jobsLeftBehind();
    if (behind > 0) {
      report.complaints.add(
          behind + " batches of jobs are still claimed by replicas that are gone");
    }
    long open = deployment.open(from);
    if (open > 0) {
      report.complaints.add(open + " ticks from before the drill have no outcome");
    }
    return report;
  }

  private void compare(
      Deployment deployment, Deployment.TaskCursor before, Deployment.TaskCursor after)
      throws SQLException {
    Deployment.Ticks ticks = deployment.ticks(before.task(), before.cursor(), after.cursor());
    ticks.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Long::sum));
    if (ticks.claimedAgain() > 0) {
      // The ledger lets nobody repeat what may have begun; but whoever loses leadership between his
      // claim and the body gives the tick back.
      remarks.add(
          before.task()
              + ": "
              + ticks.claimedAgain()
              + " ticks were given back before they began, and claimed again");
    }
    if (!before.schedule().equals(after.schedule())) {
      remarks.add(
          before.task() + ": its schedule was changed meanwhile; its ticks are not counted");
      return;
    }
    long expected;
    try {
      Schedule schedule = Schedule.parse(before.schedule()).forTask(before.task());
      if (schedule.anchor() != Schedule.Anchor.NOMINAL) {
        return; // its times are not known in advance
      }
      expected = schedule.count(before.cursor().plusNanos(1), after.cursor().plusNanos(1));
    } catch (ScheduleSyntaxException e) {
      remarks.add(before.task() + ": its schedule cannot be read here; its ticks are not counted");
      return;
    }
    due += expected;
    if (ticks.accounted() < expected) {
      lost += expected - ticks.accounted();
      complaints.add(
          before.task()
              + ": "
              + (expected - ticks.accounted())
              + " of "
              + expected
              + " ticks are not on record");
    } else if (ticks.accounted() > expected) {
      doubled += ticks.accounted() - expected;
      complaints.add(
          before.task()
              + ": "
              + ticks.accounted()
              + " ticks are on record, but only "
              + expected
              + " were due");
    }
  }

  boolean isGood() {
    return complaints.isEmpty();
  }

  void print(PrintWriter out) {
    out.printf(Locale.ROOT, "takeover   %.3f s%n", takeover.toNanos() / 1e9);
    out.println("ticks due  " + due);
    outcomes.forEach((outcome, count) -> out.println("  " + outcome + " " + count));
    out.println("job runs   " + jobRuns);
    remarks.forEach(remark -> out.println("note: " + remark));
    complaints.forEach(complaint -> out.println("WRONG: " + complaint));
    out.println(
        isGood()
            ? "Nothing doubled, nothing lost."
            : "Something is wrong; keep the tables tick and job_attempt as they are for whoever"
                + " looks into it.");
    out.println(line());
    out.flush();
  }

  /** Returns the line that scripts read. */
  private String line() {
    return String.format(Locale.ROOT, "takeover_ms=%d", takeover.toMillis())
        + " ticks="
        + due
        + " succeeded="
        + outcomes.getOrDefault("SUCCEEDED", 0L)
        + " skipped="
        + outcomes.getOrDefault("SKIPPED", 0L)
        + " missed="
        + outcomes.getOrDefault("MISSED", 0L)
        + " unknown="
        + outcomes.getOrDefault("UNKNOWN", 0L)
        + " job_runs="
        + jobRuns
        + " doubled="
        + (doubled + jobsDoubled)
        + " lost="
        + lost;
  }
}
