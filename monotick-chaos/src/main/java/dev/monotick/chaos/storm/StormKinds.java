package dev.monotick.chaos.storm;

import dev.monotick.job.JobKind;
import dev.monotick.job.RetryPolicy;
import dev.monotick.job.store.JobLimit;
import dev.monotick.task.Effect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The kinds of jobs in the storm. */
final class StormKinds {

  /** Header with the key of a job, for the log. */
  static final String KEY = "key";

  /** Header with the number of the wish for a job. */
  static final String WISH = "wish";

  /** How many of {@link #LIMITED} may run at a time. */
  static final int LIMIT = 3;

  /** Nothing special. */
  static final JobKind<String> PLAIN = kind("plain");

  /** At most one of a key is active. */
  static final JobKind<String> UNIQUE = kind("unique");

  /** At most {@value #LIMIT} run at a time. */
  static final JobKind<String> LIMITED = kind("limited");

  /** At most one of a key runs at a time. */
  static final JobKind<String> KEYED = kind("keyed");

  /** Its effect is a row that commits with its success. */
  static final JobKind<String> EXACT = kind("exact").effect(Effect.TRANSACTIONAL);

  /** It begins at most once. */
  static final JobKind<String> ONCE = kind("once").effect(Effect.AT_MOST_ONCE);

  static final List<JobKind<String>> ALL = List.of(PLAIN, UNIQUE, LIMITED, KEYED, EXACT, ONCE);

  static final List<JobLimit> LIMITS =
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

  private StormKinds() {}

  private static JobKind<String> kind(String name) {
    return JobKind.named(name, String.class)
        .maxAttempts(JobPlan.MOST_ATTEMPTS)
        .retry(RetryPolicy.fixed(Duration.ofMillis(100)).permanentOn(PermanentFailure.class));
  }
}
