package dev.monotick.chaos.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FaultPlanTest {

  private static final Set<FaultKind> ALL = EnumSet.allOf(FaultKind.class);
  private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

  @Test
  void theSameSeedGivesTheSamePlan() {
    assertThat(FaultPlan.of(7, HALF_AN_HOUR, ALL)).isEqualTo(FaultPlan.of(7, HALF_AN_HOUR, ALL));
  }

  @Test
  void anotherSeedGivesAnotherPlan() {
    assertThat(FaultPlan.of(7, HALF_AN_HOUR, ALL)).isNotEqualTo(FaultPlan.of(8, HALF_AN_HOUR, ALL));
  }

  @Test
  void aLongerRunBeginsAsAShorterOne() {
    List<PlannedFault> brief = FaultPlan.of(7, Duration.ofMinutes(2), ALL);
    assertThat(FaultPlan.of(7, HALF_AN_HOUR, ALL)).startsWith(brief.toArray(PlannedFault[]::new));
  }

  @Test
  void halfAnHourHasMoreThanTwoHundredFaultsOfAllKinds() {
    for (long seed = 0; seed < 20; seed++) {
      List<PlannedFault> plan = FaultPlan.of(seed, HALF_AN_HOUR, ALL);
      assertThat(plan).hasSizeGreaterThan(300);
      assertThat(plan).extracting(PlannedFault::kind).containsAll(ALL);
      assertThat(plan).allMatch(strike -> strike.at().compareTo(HALF_AN_HOUR) < 0);
    }
  }

  @Test
  void aMinuteHasWhatARunProvesNothingWithout() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(FaultPlan.of(seed, Duration.ofMinutes(1), ALL))
          .extracting(PlannedFault::kind)
          .contains(
              FaultKind.PAUSE_BEFORE_EFFECT,
              FaultKind.KILL_LEADER,
              FaultKind.COMMIT_CUT,
              FaultKind.PAUSE_LONG,
              FaultKind.PARTITION);
    }
  }

  @Test
  void onlyWhatIsPossibleIsPlanned() {
    assertThat(FaultPlan.of(1, HALF_AN_HOUR, EnumSet.of(FaultKind.KILL)))
        .extracting(PlannedFault::kind)
        .containsOnly(FaultKind.KILL);
  }
}
