package dev.monotick.chaos.check;

import dev.monotick.chaos.replica.TaskWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The order in the ledger: later ticks are started later, a run begins when the one before has
 * ended, and nominal times are those that everybody computes.
 */
final class LedgerOrder {

  /**
   * Beginnings and ends are the database's time as replicas know it. One whose clock runs a quarter
   * too fast, which is done on purpose, is wrong by this much after a body of four seconds.
   */
  private static final Duration SLACK = Duration.ofSeconds(1);

  private LedgerOrder() {}

  static void check(CheckScope scope, List<LedgerRow> ledger, Findings findings) {
    for (String task : scope.inLedger()) {
      LedgerRow before = null;
      for (LedgerRow row : ledger.stream().filter(row -> row.task().equals(task)).toList()) {
        if (row.first().toEpochMilli() % scope.period().toMillis() != 0) {
          findings.violation("everybody computes the same times", row.toString());
        }
        Instant started = row.startedAt();
        if (started == null) {
          continue; // not run; one that ran again did so before newer ones began
        }
        if (before != null && scope.serverClockIsRight()) {
          compare(before, row, started, findings);
        }
        before = row;
      }
    }
    strictlyGrow(scope, ledger, findings);
  }

  private static void compare(LedgerRow before, LedgerRow row, Instant started, Findings findings) {
    Instant startedBefore = before.startedAt();
    if (startedBefore != null && started.plus(SLACK).isBefore(startedBefore)) {
      findings.violation("ticks are started in their order", before + ", then " + row);
    }
    Instant ended = before.endedAt();
    if (ended != null
        && "SUCCEEDED".equals(before.outcome())
        && started.plus(SLACK).isBefore(ended)) {
      findings.violation("runs do not overlap", before + ", then " + row);
    }
  }

  /** The times of a task that is edited follow from several definitions; still none comes twice. */
  private static void strictlyGrow(CheckScope scope, List<LedgerRow> ledger, Findings findings) {
    Instant last = Instant.MIN;
    long one = TaskWorkload.editedPeriod(scope.period(), 1).toMillis();
    long other = TaskWorkload.editedPeriod(scope.period(), 2).toMillis();
    for (LedgerRow row :
        ledger.stream().filter(row -> row.task().equals(TaskWorkload.EDITED)).toList()) {
      if (!row.first().isAfter(last)) {
        findings.violation("times only grow", "after " + last + " comes " + row);
      }
      long millis = row.first().toEpochMilli();
      if (millis % one != 0 && millis % other != 0) {
        findings.violation("everybody computes the same times", row.toString());
      }
      last = row.last();
    }
  }
}
