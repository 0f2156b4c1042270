package dev.monotick.server.remote;

import dev.monotick.job.Job.Attempt.Outcome;
import java.util.EnumSet;
import java.util.Set;

/** Which ends of a run end its job: the engine stores them by their place in the enum. */
public final class FinalOutcomes {

  private static final Set<Outcome> OVER =
      EnumSet.of(
          Outcome.SUCCEEDED,
          Outcome.DIED,
          Outcome.DISCARDED,
          Outcome.CRASHED,
          Outcome.LOST,
          Outcome.CANCELLED,
          Outcome.REJECTED,
          Outcome.EXPIRED);

  private FinalOutcomes() {}

  /** Returns them as the column {@code outcome} of the engine's attempts has them. */
  public static Integer[] codes() {
    return OVER.stream().map(Enum::ordinal).toArray(Integer[]::new);
  }
}
