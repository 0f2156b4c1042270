package dev.monotick.server.job.view;

import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.server.job.intake.NewJob;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.RequestFields;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs of the tenant; what is not given matches all.
 *
 * @param state their state
 * @param queue their queue
 * @param kind their kind
 * @param parent the job they belong to
 * @param createdAfter created then or later
 * @param createdBefore created earlier
 * @param search a text in their id, kind, queue, keys or creator
 */
public record JobQuery(
    @Nullable String state,
    @Nullable String queue,
    @Nullable String kind,
    @Nullable String parent,
    @Nullable String createdAfter,
    @Nullable String createdBefore,
    @Nullable String search) {

  /** Milliseconds since 2025 are the upper bits of a job's number. */
  private static final long FIRST_MILLIS = 1_735_689_600_000L;

  private static final int BITS = 22;

  static JobQuery in(JobState state) {
    return new JobQuery(state.name(), null, null, null, null, null, null);
  }

  public JobQuery withState(JobState other) {
    return new JobQuery(other.name(), queue, kind, parent, createdAfter, createdBefore, search);
  }

  public boolean isEmpty() {
    return Stream.of(state, queue, kind, parent, createdAfter, createdBefore, search)
        .allMatch(each -> each == null || each.isBlank());
  }

  public Optional<JobState> stateWanted() {
    if (state == null) {
      return Optional.empty();
    }
    String wanted = state.strip().toUpperCase(Locale.ROOT);
    return Optional.of(
        Arrays.stream(JobState.values())
            .filter(each -> each.name().equals(wanted))
            .findFirst()
            .orElseThrow(
                () ->
                    Problem.invalid(
                        "state",
                        "state must be one of "
                            + Arrays.toString(JobState.values())
                            + ", but was \""
                            + state
                            + "\"")));
  }

  Optional<JobId> parentWanted() {
    return Optional.ofNullable(parent)
        .map(text -> RequestFields.checked("parent", () -> JobId.parse(text)));
  }

  /** The least number of a job that is wanted. */
  long least() {
    return createdAfter == null ? 0 : firstId("createdAfter", createdAfter);
  }

  /** All numbers that are wanted are below this. */
  long below() {
    return createdBefore == null ? Long.MAX_VALUE : firstId("createdBefore", createdBefore);
  }

  private static long firstId(String field, String text) {
    long millis = NewJob.moment(field, text).toEpochMilli() - FIRST_MILLIS;
    return millis >= 1L << (Long.SIZE - 1 - BITS) ? Long.MAX_VALUE : Math.max(0, millis) << BITS;
  }
}
