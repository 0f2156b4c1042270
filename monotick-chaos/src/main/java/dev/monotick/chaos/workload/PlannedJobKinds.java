package dev.monotick.chaos.workload;

import dev.monotick.job.JobKind;
import dev.monotick.job.JobLimit;
import dev.monotick.work.Effect;
import dev.monotick.work.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The kinds of jobs in the storm. */
public final class PlannedJobKinds {

  /** Header with the key of a job, for the log. */
  public static final String KEY = "key";

  /** Header with the number of the wish for a job. */
  public static final String REQUEST = "wish";

  /** How many of {@link #LIMITED} may run at a time. */
  public static final int LIMIT = 3;

  /** Nothing special. */
  public static final JobKind<String> PLAIN = kind("plain");

  /** At most one of a key is active. */
  static final JobKind<String> UNIQUE = kind("unique");

  /** At most {@value #LIMIT} run at a time. */
  static final JobKind<String> LIMITED = kind("limited");

  /** At most one of a key runs at a time. */
  static final JobKind<String> KEYED = kind("keyed");

  /** Its effect is a row that commits with its success. */
  static final JobKind<String> EXACT = kind("exact").effect(Effect.TRANSACTIONAL);

  /** It begins at most once. */
  public static final JobKind<String> ONCE = kind("once").effect(Effect.AT_MOST_ONCE);

  public static final List<JobKind<String>> ALL =
      List.of(PLAIN, UNIQUE, LIMITED, KEYED, EXACT, ONCE);

  public static final List<JobLimit> LIMITS =
      List.of(
          new JobLimit(
              new JobLimit.Scope(LIMITED.name(), "", false), Optional.of(LIMIT), Optional.empty()),
          new JobLimit(
              new JobLimit.Scope(KEYED.name(), "", true), Optional.of(1), Optional.empty()));

  /** What a job throws that was planned to. */
  static class PlannedFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PlannedFailure(String message) {
      super(message, null, false, false);
    }
  }

  /** The same, and no further attempt is wanted. */
  static final class PermanentFailure extends PlannedFailure {

    private static final long serialVersionUID = 1L;

    PermanentFailure(String message) {
      super(message);
    }
  }

  private PlannedJobKinds() {}

  private static JobKind<String> kind(String name) {
    return JobKind.named(name, String.class)
        .maxAttempts(JobPlan.MOST_ATTEMPTS)
        .retry(RetryPolicy.fixed(Duration.ofMillis(100)).permanentOn(PermanentFailure.class));
  }
}
