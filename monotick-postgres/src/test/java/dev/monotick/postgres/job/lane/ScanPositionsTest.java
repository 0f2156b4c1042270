package dev.monotick.postgres.job.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.job.row.JobIds;
import java.util.List;
import org.junit.jupiter.api.Test;

/** No job is passed over for longer than until the next sweep, whatever overtakes it. */
class ScanPositionsTest {

  private static final int LANE = 1;
  private static final long ANY = Long.MAX_VALUE;
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;

  private final ScanPositions hints = new ScanPositions(0);

  /** The number of a job made in that millisecond. */
  private static long at(long milli) {
    return JobIds.span(10_000 + milli);
  }

  @Test
  void whatIsSettledAndWasLookedAtIsNotLookedAtAgain() {
    hints.saw(at(1), 50, 60L);
    hints.claimed(LANE, 0, at(1), hints.stableBelow());
    assertThat(hints.watermark(LANE)).isZero();
    hints.saw(at(2), 61, 62L); // all before 60 have ended
    assertThat(hints.stableBelow()).isEqualTo(at(1));
    assertThat(hints.watermark(LANE)).as("nobody has looked since").isZero();
    hints.sawNothing(LANE, 0, ANY, hints.stableBelow());
    assertThat(hints.position(LANE)).isEqualTo(at(1));
    assertThat(hints.watermark(LANE)).isEqualTo(at(1));
  }

  /** The transaction that added it was open at every look, and has ended at the last one. */
  @Test
  void whatIsCommittedLateIsAboveTheFloorWhenItIsSettled() {
    long late = at(5);
    hints.saw(at(10), 40, 60L); // 40 adds it, and is open
    hints.claimed(LANE, 0, at(9) + 1, hints.stableBelow());
    hints.saw(at(200), 40, 61L);
    assertThat(hints.position(LANE)).as("more than what is recent").isGreaterThan(late);
    long from = hints.position(LANE);
    long settledBefore = hints.stableBelow();
    hints.saw(at(201), 62, 63L); // it has ended, and the look began above it
    hints.claimed(LANE, from, at(199) + 1, settledBefore);
    assertThat(hints.stableBelow()).isGreaterThan(late);
    assertThat(hints.watermark(LANE)).as("where the next sweep begins").isLessThanOrEqualTo(late);
    hints.found(LANE, late);
    assertThat(hints.position(LANE)).isEqualTo(late);
  }

  @Test
  void aLookThatBeganBeforeSomethingWasSettledDoesNotProveThatItIsNotThere() {
    hints.saw(at(10), 50, 60L);
    long settledBefore = hints.stableBelow();
    hints.saw(at(11), 60, 61L); // as another replica of this process saw meanwhile
    hints.sawNothing(LANE, 0, ANY, settledBefore);
    assertThat(hints.watermark(LANE)).isZero();
  }

  @Test
  void aLaneThatIsNotLookedAtKeepsItsFloor() {
    hints.saw(at(10), 50, 60L);
    hints.claimed(LANE, 0, at(9) + 1, hints.stableBelow());
    hints.saw(at(11), 60, 61L);
    hints.sawNothing(2, 0, ANY, hints.stableBelow());
    assertThat(hints.watermark(2)).isEqualTo(at(10));
    assertThat(hints.watermark(LANE)).isZero();
    assertThat(hints.position(LANE)).as("the last tenth of a second").isLessThan(at(9));
  }

  @Test
  void whatALookLeavesIsWhereTheNextOneBegins() {
    hints.saw(at(500), 50, 60L);
    hints.claimed(LANE, 0, at(490) + 1, hints.stableBelow()); // a young one, alone
    hints.claimed(LANE, 0, at(300) + 20, hints.stableBelow()); // twenty of many that came later
    assertThat(hints.position(LANE)).isLessThanOrEqualTo(at(300) + 20);
  }

  @Test
  void whoeverBeganAboveWhatOthersLeftDoesNotGoPastIt() {
    hints.saw(at(500), 50, 60L);
    hints.claimed(LANE, 0, at(390), hints.stableBelow());
    long planned = hints.position(LANE);
    hints.found(LANE, at(200));
    hints.claimed(LANE, at(200), at(200) + 10, hints.stableBelow()); // by one replica
    hints.claimed(LANE, planned, at(495), hints.stableBelow()); // by the other
    assertThat(hints.position(LANE)).isLessThanOrEqualTo(at(200) + 10);
  }

  @Test
  void jobsThatWaitForLongAreNotPassedOverBecauseTheyAreOld() {
    hints.saw(at(1_000_000), 50, 60L);
    hints.claimed(LANE, 0, at(100), hints.stableBelow());
    assertThat(hints.position(LANE)).isLessThanOrEqualTo(at(100));
  }

  @Test
  void afterTheClockWasSetBackNumbersOfThatTimeAreLookedAtAgain() {
    riseTo(at(HOUR));
    hints.saw(at(HOUR / 2), 62, 63L);
    assertThat(hints.watermark(LANE)).isEqualTo(at(HOUR / 2 - 10 * MINUTE));
    assertThat(hints.position(LANE)).isEqualTo(hints.watermark(LANE));
    assertThat(hints.stableBelow()).isEqualTo(hints.watermark(LANE));
  }

  /** Two replicas of one process claim at the same time; dead rows of hours are not walked over. */
  @Test
  void aReplyThatWasOvertakenByAnotherCostsNoMoreThanASecond() {
    riseTo(at(HOUR));
    hints.saw(at(HOUR - 5), 62, 63L);
    assertThat(hints.watermark(LANE)).isEqualTo(at(HOUR - 1005));
    assertThat(hints.position(LANE)).isEqualTo(hints.watermark(LANE));
  }

  @Test
  void aReplicaThatStartsBeginsWhereOthersWere() {
    hints.inherit(
        new ScanPositions.Inherited(
            List.of(new ScanPositions.Saved(LANE, at(5), at(700), 0)), 1, at(1_000)));
    assertThat(hints.watermark(LANE)).isEqualTo(at(5));
    assertThat(hints.position(LANE)).isEqualTo(at(700));
    assertThat(hints.position(2)).as("a lane that nobody saved").isZero();
  }

  @Test
  void whatWasSavedByAClockThatWasAheadIsNotTrusted() {
    hints.inherit(
        new ScanPositions.Inherited(
            List.of(new ScanPositions.Saved(LANE, at(HOUR), at(HOUR) + 9, 0)),
            1,
            at(HOUR - MINUTE)));
    assertThat(hints.position(LANE)).isEqualTo(at(HOUR - 11 * MINUTE));
  }

  @Test
  void whatIsKnownIsNotLoweredByWhatOthersSaved() {
    riseTo(at(HOUR));
    hints.inherit(
        new ScanPositions.Inherited(
            List.of(new ScanPositions.Saved(LANE, at(5), at(6), 0)), 1, at(HOUR)));
    assertThat(hints.watermark(LANE)).isEqualTo(at(HOUR));
  }

  @Test
  void aClaimThatTookTooLongIsFollowedByOneOfTheYoungestAndTheRestIsSwept() {
    hints.inherit(new ScanPositions.Inherited(List.of(), 1, at(HOUR)));
    hints.skipAhead();
    assertThat(hints.position(LANE)).isEqualTo(at(HOUR - 100));
    assertThat(hints.watermark(LANE)).as("where sweeps begin").isZero();
    hints.found(LANE, at(7));
    assertThat(hints.position(LANE)).isEqualTo(at(7));
  }

  @Test
  void aLaneIsSavedAfterManyJobsOrSomeTime() {
    long second = 1_000_000_000L;
    hints.inherit(new ScanPositions.Inherited(List.of(), 1, at(HOUR)));
    hints.claimed(LANE, 0, at(50), 0);
    hints.count(LANE, 4_999);
    assertThat(hints.toSave(second)).isEmpty();
    hints.count(LANE, 1);
    assertThat(hints.toSave(2 * second))
        .containsExactly(new ScanPositions.Saved(LANE, 0, at(50), 5_000));
    hints.saved(List.of(), 0, 3 * second); // it failed
    assertThat(hints.toSave(4 * second)).hasSize(1);
    hints.count(LANE, 10);
    hints.saved(List.of(new ScanPositions.Saved(LANE, 0, at(50), 5_000)), 0, 4 * second);
    assertThat(hints.toSave(60 * second)).isEmpty();
    assertThat(hints.toSave(64 * second))
        .extracting(ScanPositions.Saved::claimed)
        .containsExactly(10);
  }

  private void riseTo(long floor) {
    hints.saw(floor, 50, 60L);
    hints.saw(floor + 1, 60, 61L);
    hints.sawNothing(LANE, 0, ANY, hints.stableBelow());
    assertThat(hints.watermark(LANE)).isEqualTo(floor);
  }
}
