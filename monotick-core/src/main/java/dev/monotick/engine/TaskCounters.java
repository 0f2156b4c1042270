package dev.monotick.engine;

import dev.monotick.ledger.Gap;
import dev.monotick.ledger.Outcome;
import dev.monotick.task.TaskStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one replica has seen of a task since it started. Confined to the loop. */
final class TaskCounters {

  long started;
  long succeeded;
  long failed;
  long timedOut;
  long cancelled;
  long skipped;
  long missed;
  long leftToLeader;
  long duplicatesRefused;
  long refusedByFence;
  @Nullable Outcome lastOutcome;
  @Nullable Instant lastEndedAt;

  TaskStatus.Counts snapshot() {
    return new TaskStatus.Counts(
        started,
        succeeded,
        failed,
        timedOut,
        cancelled,
        skipped,
        missed,
        leftToLeader,
        duplicatesRefused,
        refusedByFence,
        lastOutcome,
        lastEndedAt);
  }

  void ended(Outcome outcome, Instant at) {
    switch (outcome) {
      case SUCCEEDED -> succeeded++;
      case FAILED -> failed++;
      case TIMED_OUT -> timedOut++;
      case CANCELLED -> cancelled++;
      case MISSED -> missed++;
      case SKIPPED, UNKNOWN -> {
        // not outcomes of a claim of this replica
      }
    }
    lastOutcome = outcome;
    lastEndedAt = at;
  }

  void notRun(List<Gap> gaps) {
    for (Gap gap : gaps) {
      if (gap.outcome() == Outcome.MISSED) {
        missed += gap.count();
      } else {
        skipped += gap.count();
      }
    }
  }
}
