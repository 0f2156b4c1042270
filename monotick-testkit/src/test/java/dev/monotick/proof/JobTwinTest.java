package dev.monotick.proof;

import static dev.monotick.proof.JobModel.Property.A1;
import static dev.monotick.proof.JobModel.Property.A2;
import static dev.monotick.proof.JobModel.Property.L;
import static dev.monotick.proof.JobModel.Property.S1;
import static dev.monotick.proof.JobModel.Property.S2;
import static dev.monotick.proof.JobModel.Property.S3;
import static dev.monotick.proof.JobModel.Property.S4;
import static dev.monotick.proof.JobModel.Rule.ANSWER_TO_ANY_MEMBERSHIP;
import static dev.monotick.proof.JobModel.Rule.BEGIN_BEFORE_START_ANSWER;
import static dev.monotick.proof.JobModel.Rule.BEGIN_WITHOUT_LEASE;
import static dev.monotick.proof.JobModel.Rule.COMPLETE_BY_NUMBER_ALONE;
import static dev.monotick.proof.JobModel.Rule.COMPLETE_TWICE;
import static dev.monotick.proof.JobModel.Rule.COMPLETE_WITHOUT_CLAIM;
import static dev.monotick.proof.JobModel.Rule.GONE_WHILE_TRUSTED;
import static dev.monotick.proof.JobModel.Rule.NOTICE_STARTS_HANDLER;
import static dev.monotick.proof.JobModel.Rule.NO_START_RECORD;
import static dev.monotick.proof.JobModel.Rule.NUMBER_REUSED;
import static dev.monotick.proof.JobModel.Rule.ORPHANS_KEPT;
import static dev.monotick.proof.JobModel.Rule.PURGE_UNDER_CLAIM;
import static dev.monotick.proof.JobModel.Rule.READ_ONLY_ON_NOTICE;
import static dev.monotick.proof.JobModel.Rule.REJOIN_KEEPS_IDENTITY;
import static dev.monotick.proof.JobModel.Rule.RESCUE_LEAVES_NO_END;
import static dev.monotick.proof.JobModel.Rule.RESCUE_ONCE;
import static dev.monotick.proof.JobModel.Rule.RESCUE_WITHOUT_GONE;
import static dev.monotick.proof.JobModel.Rule.START_WITHOUT_CLAIM_LOCK;
import static dev.monotick.proof.JobModel.Rule.UNKNOWN_WITHOUT_START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.proof.Explorer.Exploration;
import dev.monotick.proof.JobModel.Property;
import dev.monotick.proof.JobModel.Rule;
import dev.monotick.proof.JobProperties.Possible;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Explores the model of jobs in full, in Java: the product violates nothing, and each rule that is
 * broken on purpose violates what it is there for. {@link JobModelTest} asks TLC the same.
 */
class JobTwinTest {

  private static final JobModel USUAL = new JobModel(2, 3, 1, false, true);
  private static final JobModel USUAL_AT_MOST_ONCE = new JobModel(2, 3, 1, true, true);
  private static final JobModel STEADY = new JobModel(2, 2, 1, false, true);
  private static final JobModel STEADY_AT_MOST_ONCE = new JobModel(2, 2, 1, true, true);
  private static final JobModel ALONE = new JobModel(1, 2, 1, false, true);
  private static final JobModel ALONE_AT_MOST_ONCE = new JobModel(1, 2, 1, true, true);
  private static final JobModel BATCH = new JobModel(1, 1, 2, false, true);

  /** A rule that is broken, at times beside another, and what is violated then. */
  record Broken(JobModel model, Property violated) {

    @Override
    public String toString() {
      return model.brokenNames() + " violates " + violated;
    }
  }

  /** Each in a size in which its violation is found soon. */
  static List<Broken> broken() {
    return List.of(
        new Broken(USUAL.breaking(REJOIN_KEEPS_IDENTITY), S2),
        new Broken(USUAL.breaking(ANSWER_TO_ANY_MEMBERSHIP), S2),
        new Broken(USUAL.breaking(NOTICE_STARTS_HANDLER), S2),
        new Broken(BATCH.breaking(READ_ONLY_ON_NOTICE), L),
        new Broken(STEADY_AT_MOST_ONCE.breaking(NUMBER_REUSED), A1),
        new Broken(USUAL.breaking(BEGIN_WITHOUT_LEASE), S2),
        new Broken(STEADY.breaking(GONE_WHILE_TRUSTED), S2),
        new Broken(STEADY.breaking(RESCUE_WITHOUT_GONE), S2),
        new Broken(ALONE.breaking(RESCUE_ONCE), L),
        new Broken(BATCH.breaking(ORPHANS_KEPT), L),
        new Broken(USUAL.breaking(COMPLETE_WITHOUT_CLAIM), S4),
        new Broken(USUAL.breaking(COMPLETE_WITHOUT_CLAIM, RESCUE_LEAVES_NO_END), S1),
        new Broken(USUAL.breaking(COMPLETE_WITHOUT_CLAIM, RESCUE_LEAVES_NO_END), S3),
        new Broken(BATCH.breaking(COMPLETE_BY_NUMBER_ALONE), S4),
        new Broken(BATCH.breaking(COMPLETE_TWICE), S1),
        new Broken(BATCH.breaking(COMPLETE_TWICE), S3),
        new Broken(BATCH.breaking(PURGE_UNDER_CLAIM), S4),
        new Broken(USUAL_AT_MOST_ONCE.breaking(NO_START_RECORD), A1),
        new Broken(USUAL_AT_MOST_ONCE.breaking(BEGIN_BEFORE_START_ANSWER), A1),
        new Broken(STEADY_AT_MOST_ONCE.breaking(START_WITHOUT_CLAIM_LOCK, GONE_WHILE_TRUSTED), A1),
        new Broken(ALONE_AT_MOST_ONCE.breaking(UNKNOWN_WITHOUT_START), A2));
  }

  /** What the product must keep, in sizes that TLC explores in seconds too. */
  static Stream<JobModel> sound() {
    return Stream.of(USUAL, USUAL_AT_MOST_ONCE, BATCH, new JobModel(1, 1, 2, true, true), ALONE);
  }

  /** The same with more memberships, or more jobs at once. */
  static Stream<JobModel> larger() {
    Stream<JobModel> usual =
        Stream.of(
            new JobModel(1, 2, 2, true, false),
            new JobModel(2, 2, 2, false, true),
            new JobModel(2, 2, 2, true, true));
    Stream<JobModel> large =
        Stream.of(
            new JobModel(2, 4, 1, false, true),
            new JobModel(2, 4, 1, true, true),
            new JobModel(1, 2, 2, false, false),
            new JobModel(1, 2, 2, true, true),
            new JobModel(2, 3, 2, true, false));
    return JobModelTest.LARGE ? Stream.concat(usual, large) : usual;
  }

  @ParameterizedTest
  @MethodSource({"sound", "larger"})
  void productViolatesNothingAndLosesNoJob(JobModel model) {
    Exploration found = JobProperties.explore(model, JobModel.ALL);
    assertThat(found.isViolated()).as("%s", found.steps()).isFalse();
    // Without this, L would not mean that every way comes to an end.
    assertThat(found.hasCycle()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("broken")
  void brokenRuleIsFound(Broken broken) {
    Exploration found = JobProperties.explore(broken.model(), List.of(broken.violated()));
    assertThat(found.isViolated()).isTrue();
    assertThat(found.steps()).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("possible")
  void whatMustBePossibleIsPossible(Possible possible, JobModel model) {
    assertThat(JobProperties.explore(model, possible).isViolated()).isTrue();
  }

  static Stream<Arguments> possible() {
    return Stream.of(Possible.values())
        .map(each -> Arguments.of(each, each == Possible.ORPHAN ? BATCH : USUAL_AT_MOST_ONCE));
  }

  @Test
  void everyRuleIsBrokenOnce() {
    Set<Rule> tried = EnumSet.noneOf(Rule.class);
    broken().forEach(each -> tried.addAll(each.model().broken()));
    assertThat(tried).containsExactlyInAnyOrder(Rule.values());
  }

  /** Rate errors of clocks cost the promise of when a handler begins, and nothing else. */
  @ParameterizedTest
  @MethodSource("anyClocks")
  void claimsAndRecordsNeedNoClock(JobModel model) {
    Exploration found = JobProperties.explore(model, EnumSet.complementOf(EnumSet.of(S2, L)));
    assertThat(found.isViolated()).as("%s", found.steps()).isFalse();
  }

  static Stream<JobModel> anyClocks() {
    return Stream.of(STEADY, STEADY_AT_MOST_ONCE).map(model -> model.breaking(GONE_WHILE_TRUSTED));
  }

  /** Some rules guard the same property; it is violated only if both are broken. */
  @ParameterizedTest
  @MethodSource("spare")
  void secondDefenceSuffices(JobModel model, Set<Property> kept) {
    Exploration found = JobProperties.explore(model, kept);
    assertThat(found.isViolated()).as("%s", found.steps()).isFalse();
  }

  static Stream<Arguments> spare() {
    return Stream.of(
        Arguments.of(USUAL.breaking(RESCUE_LEAVES_NO_END), EnumSet.allOf(Property.class)),
        Arguments.of(
            USUAL_AT_MOST_ONCE.breaking(START_WITHOUT_CLAIM_LOCK), EnumSet.allOf(Property.class)));
  }

  /** Rescue records an end for each run, so a late report changes nothing until that is purged. */
  @Test
  void reportWithoutClaimDoesHarmOnlyAfterPurge() {
    Exploration found =
        JobProperties.exploreUnlessRevived(
            USUAL.breaking(COMPLETE_WITHOUT_CLAIM), EnumSet.of(S1, S2, S3));
    assertThat(found.isViolated()).as("%s", found.steps()).isFalse();
  }
}
