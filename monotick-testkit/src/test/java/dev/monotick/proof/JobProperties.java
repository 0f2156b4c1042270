package dev.monotick.proof;

import dev.monotick.proof.Explorer.Exploration;
import dev.monotick.proof.Explorer.Step;
import dev.monotick.proof.JobModel.Property;
import dev.monotick.proof.JobState.Field;
import dev.monotick.proof.JobState.Many;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** Tells whether a state of the model of jobs keeps what the product promises. */
final class JobProperties {

  private JobProperties() {}

  /** Explores a model until one of the properties does not hold. */
  static Exploration explore(JobModel model, Collection<Property> properties) {
    return new Explorer<JobState>(state -> JobSteps.of(model, state))
        .explore(
            JobState.initial(model),
            (state, steps) ->
                properties.stream().allMatch(property -> holds(property, model, state, steps)));
  }

  /** Explores a model likewise, but does not go on where a purged job has come back. */
  static Exploration exploreUnlessRevived(JobModel model, Collection<Property> properties) {
    return new Explorer<JobState>(
            state ->
                state.is(Field.WRONG, JobState.Property.S4) ? List.of() : JobSteps.of(model, state))
        .explore(
            JobState.initial(model),
            (state, steps) ->
                properties.stream().allMatch(property -> holds(property, model, state, steps)));
  }

  /** Explores a model until a state is found in which something happens that must be possible. */
  static Exploration explore(JobModel model, Possible possible) {
    return new Explorer<JobState>(state -> JobSteps.of(model, state))
        .explore(JobState.initial(model), (state, steps) -> !isReached(possible, model, state));
  }

  /** What must be possible: a model in which nothing happens violates nothing. */
  enum Possible {
    BEGINS_AFTER_END,
    CLAIM_OF_FORMER_MEMBER,
    ORPHAN,
    UNKNOWN,
    REPORT_OF_PURGED;

    /** Returns the definition of {@code jobs.tla} that claims the opposite. */
    String never() {
      return switch (this) {
        case BEGINS_AFTER_END -> "NeverBeginsAfterEnd";
        case CLAIM_OF_FORMER_MEMBER -> "NeverClaimOfFormerMember";
        case ORPHAN -> "NeverOrphan";
        case UNKNOWN -> "NeverUnknown";
        case REPORT_OF_PURGED -> "NeverReportOfPurged";
      };
    }
  }

  private static boolean isReached(Possible possible, JobModel model, JobState state) {
    JobView view = new JobView(model, state);
    IntStream runs = IntStream.range(0, view.runs());
    return switch (possible) {
      case BEGINS_AFTER_END ->
          runs.filter(x -> state.get(Field.STEP, x) == JobState.FROZEN)
              .anyMatch(x -> view.isFinal(view.jobOf(x)));
      case CLAIM_OF_FORMER_MEMBER ->
          IntStream.of(view.rows())
              .map(JobView::idOf)
              .anyMatch(id -> view.mem(state.get(Field.OWNER, id)) != id);
      case ORPHAN ->
          runs.filter(x -> view.claim(x) != 0 && !state.is(Field.ENDED, x))
              .filter(x -> state.get(Field.STEP, x) == JobState.NOTHING)
              .filter(x -> view.mem(1) == JobView.idOf(view.claim(x)))
              .anyMatch(x -> JobView.numberOf(view.claim(x)) < state.get(Field.NEXT, view.mem(1)));
      case UNKNOWN ->
          IntStream.range(0, model.jobs())
              .anyMatch(job -> state.get(Field.STATE, job) == JobState.UNKNOWN);
      case REPORT_OF_PURGED ->
          IntStream.of(state.all(Many.REPORTS))
              .map(report -> view.jobOf(JobSteps.runOf(report / 2)))
              .anyMatch(job -> state.get(Field.STATE, job) == JobState.PURGED);
    };
  }

  private static boolean holds(
      Property property, JobModel model, JobState state, List<Step<JobState>> steps) {
    JobView view = new JobView(model, state);
    IntStream jobs = IntStream.range(0, model.jobs());
    return switch (property) {
      case S1 -> jobs.allMatch(job -> state.get(Field.SUCCESSES, job) <= 1);
      case S2 -> !state.is(Field.WRONG, JobState.Property.S2);
      case S3 -> !state.is(Field.WRONG, JobState.Property.S3);
      case S4 -> !state.is(Field.WRONG, JobState.Property.S4);
      case A1 -> jobs.allMatch(job -> state.get(Field.BEGUN, job) <= 1);
      case A2 ->
          jobs.filter(job -> state.get(Field.STATE, job) == JobState.UNKNOWN)
              .map(job -> view.run(job, state.get(Field.RUN, job)))
              .allMatch(
                  x ->
                      IntStream.of(state.all(Many.STARTS))
                          .anyMatch(start -> JobSteps.runOf(start) == x));
      case L -> !steps.isEmpty() || jobs.allMatch(view::isFinal);
    };
  }
}
