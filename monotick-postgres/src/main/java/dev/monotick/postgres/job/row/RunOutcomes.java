package dev.monotick.postgres.job.row;

import static java.util.stream.Collectors.joining;

import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the outcome of a job's last claim says about the job. Stored by its place in the enum. */
public final class RunOutcomes {

  private static final List<Outcome> ALL = List.of(Outcome.values());

  private RunOutcomes() {}

  public static int stored(Outcome outcome) {
    return ALL.indexOf(outcome);
  }

  public static Outcome of(int stored) {
    return ALL.get(stored);
  }

  /** Returns the state of a job that ended so; null if it goes on. */
  public static @Nullable JobState state(int stored) {
    return state(of(stored));
  }

  private static @Nullable JobState state(Outcome outcome) {
    return switch (outcome) {
      case SUCCEEDED -> JobState.SUCCEEDED;
      case DIED, CRASHED -> JobState.DEAD;
      case DISCARDED, CANCELLED -> JobState.CANCELLED;
      case LOST -> JobState.UNKNOWN;
      case REJECTED -> JobState.REJECTED;
      case EXPIRED -> JobState.EXPIRED;
      case RETRIED, SNOOZED, HANDED_BACK, RESCUED, REQUEUED -> null;
    };
  }

  /** Returns what leads to a state, as a list for SQL. */
  public static String leadingTo(JobState state) {
    return ALL.stream()
        .filter(outcome -> state(outcome) == state)
        .map(outcome -> String.valueOf(stored(outcome)))
        .collect(joining(", "));
  }
}
