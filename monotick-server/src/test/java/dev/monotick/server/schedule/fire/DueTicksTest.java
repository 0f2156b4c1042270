package dev.monotick.server.schedule.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.schedule.Schedule;
import dev.monotick.server.schedule.fire.DueTicks.SkippedTicks;
import dev.monotick.server.schedule.spec.SchedulePlan;
import dev.monotick.server.schedule.spec.ScheduleRow;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DueTicksTest {

  private static final Instant T = Instant.parse("2026-03-01T12:00:00Z");

  private static ScheduleRow stored(
      Instant next, Optional<Instant> notBefore, Optional<Instant> pausedUntil) {
    return new ScheduleRow(
        new UUID(1, 1),
        "acme",
        "s",
        1,
        "{}",
        true,
        Optional.of(next),
        notBefore,
        pausedUntil,
        0,
        0);
  }

  private static ScheduleRow stored(Instant next) {
    return stored(next, Optional.empty(), Optional.empty());
  }

  private static SchedulePlan minutely(CatchUp catchUp) {
    return plan(Schedule.every(Duration.ofMinutes(1)), catchUp);
  }

  private static SchedulePlan plan(Schedule times, CatchUp catchUp) {
    return plan(times, catchUp, Overlap.SKIP);
  }

  private static SchedulePlan plan(Schedule times, CatchUp catchUp, Overlap overlap) {
    return new SchedulePlan(
        times, overlap, catchUp, 10, new SchedulePlan.Work.None("not asked for"));
  }

  private static Instant minute(int n) {
    return T.plus(Duration.ofMinutes(n));
  }

  @Test
  void theNextTimeFollowsFromTheNominalOneNotFromTheClock() {
    DueTicks dues = DueTicks.of(stored(T), minutely(CatchUp.ofDefaults()), T.plusMillis(700));

    assertThat(dues.runs()).containsExactly(T);
    assertThat(dues.passed()).isEmpty();
    assertThat(dues.next()).contains(minute(1));
  }

  @Test
  void ofALongGapTheLatestRunsAndTheOthersAreOneRow() {
    DueTicks dues =
        DueTicks.of(stored(T), minutely(CatchUp.ofDefaults()), minute(60).plusSeconds(5));

    assertThat(dues.runs()).containsExactly(minute(60));
    assertThat(dues.passed()).containsExactly(new SkippedTicks(T, 60, TickSkipReason.MISSED));
    assertThat(dues.next()).contains(minute(61));
  }

  @Test
  void whatIsTooLateIsMissedAltogether() {
    DueTicks dues = DueTicks.of(stored(T), minutely(CatchUp.none()), minute(2).plusSeconds(30));

    assertThat(dues.runs()).isEmpty();
    assertThat(dues.passed()).containsExactly(new SkippedTicks(T, 3, TickSkipReason.MISSED));
    assertThat(dues.next()).contains(minute(3));
  }

  @Test
  void allMeansTheNewestUpToTheNumber() {
    DueTicks dues = DueTicks.of(stored(T), minutely(CatchUp.all(3)), minute(5).plusSeconds(30));

    assertThat(dues.runs()).containsExactly(minute(3), minute(4), minute(5));
    assertThat(dues.passed()).containsExactly(new SkippedTicks(T, 3, TickSkipReason.MISSED));
  }

  @Test
  void theLatestIsTheLatestAlsoAmongTicksThatAreOnTime() {
    Schedule everyTwoSeconds = Schedule.every(Duration.ofSeconds(2));
    for (Overlap overlap : Overlap.values()) {
      if (overlap != Overlap.ALLOW) {
        SchedulePlan plan = plan(everyTwoSeconds, CatchUp.ofDefaults(), overlap);

        DueTicks dues = DueTicks.of(stored(T), plan, T.plusSeconds(31));

        assertThat(dues.runs()).as(overlap.name()).containsExactly(T.plusSeconds(30));
        assertThat(dues.passed()).containsExactly(new SkippedTicks(T, 15, TickSkipReason.MISSED));
      }
    }
  }

  @Test
  void whatIsOnTimeNeedsNoCatchingUpWhereAllMayRunAtOnce() {
    SchedulePlan secondly =
        plan(Schedule.every(Duration.ofSeconds(1)), CatchUp.ofDefaults(), Overlap.ALLOW);

    DueTicks dues = DueTicks.of(stored(T), secondly, T.plusMillis(2_100));

    assertThat(dues.runs()).containsExactly(T, T.plusSeconds(1), T.plusSeconds(2));
    assertThat(dues.passed()).isEmpty();
  }

  @Test
  void backoffCostsTicksUnlessAllAreWanted() {
    ScheduleRow failing = stored(T, Optional.of(minute(2).plusSeconds(1)), Optional.empty());
    Instant now = minute(2).plusSeconds(1);

    DueTicks one = DueTicks.of(failing, minutely(CatchUp.ofDefaults()), now);
    DueTicks all = DueTicks.of(failing, minutely(CatchUp.all(10)), now);

    assertThat(one.passed()).containsExactly(new SkippedTicks(T, 3, TickSkipReason.BACKOFF));
    assertThat(one.runs()).isEmpty();
    assertThat(one.next()).contains(minute(3));
    assertThat(all.runs()).containsExactly(T, minute(1), minute(2));
  }

  @Test
  void aPauseThatEndedIsPassedOver() {
    ScheduleRow paused = stored(T, Optional.empty(), Optional.of(minute(30)));

    DueTicks dues = DueTicks.of(paused, minutely(CatchUp.all(100)), minute(30).plusMillis(10));

    assertThat(dues.passed()).containsExactly(new SkippedTicks(T, 30, TickSkipReason.PAUSED));
    assertThat(dues.runs()).containsExactly(minute(30));
  }

  @Test
  void aOneShotHasNoNextTime() {
    DueTicks dues =
        DueTicks.of(stored(T), plan(Schedule.once(T), CatchUp.ofDefaults()), T.plusSeconds(1));

    assertThat(dues.runs()).containsExactly(T);
    assertThat(dues.next()).isEmpty();
  }
}
