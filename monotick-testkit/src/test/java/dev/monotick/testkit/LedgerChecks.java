package dev.monotick.testkit;

import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.testkit.SimulationPlan.TaskPlan;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** I5, at the end of a run: each nominal time of each task is in one row, with one outcome. */
final class LedgerChecks {

  private static final int ALL = 100_000;
  private static final Duration SLACK = Duration.ofSeconds(3);

  private final Simulation simulation;
  private final Findings findings;
  private final TickChecks ticks;
  private final TickLedger ledger;

  LedgerChecks(Simulation simulation) {
    this.simulation = simulation;
    this.findings = simulation.findings();
    this.ticks = simulation.ticks();
    this.ledger = simulation.store().ledger();
  }

  void check() {
    for (TaskPlan plan : simulation.plan().tasks) {
      if (plan.mode().isExclusive()) {
        check(plan);
      }
    }
  }

  /** Says whether no tick runs or waits, and none is overdue. */
  boolean isQuiet() {
    for (TaskPlan plan : simulation.plan().tasks) {
      if (plan.mode().isExclusive()) {
        List<SeriesState> states = ledger.states(List.of(plan.name()));
        Duration late = Duration.ofMillis(200);
        if (states.isEmpty()
            || states.get(0).open() > 0
            || states.get(0).queued() > 0
            || states.get(0).cursor().plus(plan.period()).plus(late).isBefore(simulation.now())) {
          return false;
        }
      }
    }
    return true;
  }

  private void check(TaskPlan plan) {
    String task = plan.name();
    List<SeriesState> states = ledger.states(List.of(task));
    Instant begin = ticks.begin(task);
    findings.require(
        !states.isEmpty() && begin != null, "I5", () -> task + " never came into the ledger");
    if (states.isEmpty() || begin == null) {
      return;
    }
    SeriesState state = states.get(0);
    Duration behind = Duration.between(state.cursor(), simulation.now());
    findings.require(
        behind.compareTo(plan.period().plus(SLACK)) < 0,
        "I5",
        () -> task + " is " + behind + " behind");
    List<TickRecord> rows = new ArrayList<>(ledger.history(task, ALL));
    Collections.reverse(rows);
    Instant expected = next(begin, plan.period());
    for (TickRecord row : rows) {
      if (row.tick().isTriggered()) {
        checkOutcome(plan, row);
        continue;
      }
      Instant wanted = expected;
      findings.require(
          row.tick().nominal().equals(wanted), "I5", () -> "row of " + wanted + " is " + row);
      Instant last = wanted.plus(plan.period().multipliedBy(row.count() - 1));
      findings.require(row.last().equals(last), "I5", () -> "row ends wrongly: " + row);
      checkOutcome(plan, row);
      expected = row.last().plus(plan.period());
    }
    Instant covered = expected.minus(plan.period());
    findings.require(
        rows.isEmpty() || state.cursor().equals(covered),
        "I5",
        () -> task + " has its cursor at " + state.cursor() + " and rows up to " + covered);
  }

  private void checkOutcome(TaskPlan plan, TickRecord row) {
    Outcome outcome = row.outcome();
    TickChecks.Track track = ticks.track(row.tick());
    if (outcome == null) {
      boolean fresh = row.tick().nominal().plus(SLACK).isAfter(simulation.now());
      findings.require(fresh, "I5", () -> "no outcome: " + row);
      return;
    }
    switch (outcome) {
      case SUCCEEDED, FAILED, TIMED_OUT ->
          findings.require(track.starts > 0, "I5", () -> "nobody ran " + row);
      case SKIPPED, MISSED ->
          findings.require(track.starts == 0, "I5", () -> "somebody ran " + row);
      case UNKNOWN -> findings.see(Seen.TICKS_UNKNOWN);
      default -> {}
    }
    if (outcome == Outcome.MISSED) {
      findings.see(Seen.TICKS_MISSED);
    }
    findings.require(
        plan.effect() != Effect.TRANSACTIONAL
            || (outcome == Outcome.SUCCEEDED) == (track.transactions == 1),
        "I3",
        () -> track.transactions + " transactions committed with " + row);
  }

  private static Instant next(Instant after, Duration period) {
    long millis = Math.floorDiv(after.toEpochMilli(), period.toMillis()) * period.toMillis();
    return Instant.ofEpochMilli(millis).plus(period);
  }
}
