package dev.monotick.engine.observe;

import dev.monotick.task.TaskStatus;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickRecord;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one replica has seen of a task since it started. Confined to the loop. */
public final class TaskCounters {

  public long started;
  long succeeded;
  long failed;
  long timedOut;
  long cancelled;
  public long skipped;
  long missed;
  public long leftToLeader;
  public long duplicatesRefused;
  public long refusedByFence;
  @Nullable Outcome lastOutcome;
  @Nullable Instant lastEndedAt;

  public TaskStatus.Counts snapshot() {
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

  public void ended(Outcome outcome, Instant at) {
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

  public void notRun(List<TickRecord.Range> gaps) {
    for (TickRecord.Range gap : gaps) {
      if (gap.outcome() == Outcome.MISSED) {
        missed += gap.count();
      } else {
        skipped += gap.count();
      }
    }
  }
}
