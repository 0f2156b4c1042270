package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** No job is passed over for longer than until the next sweep, whatever overtakes it. */
class LaneHintsTest {

  private static final int LANE = 1;
  private static final long ANY = Long.MAX_VALUE;
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;

  private final LaneHints hints = new LaneHints(0);

  /** The number of a job made in that millisecond. */
  private static long at(long milli) {
    return JobIds.span(10_000 + milli);
  }

  @Test
  void whatIsSettledAndWasLookedAtIsNotLookedAtAgain() {
    hints.saw(at(1), 50, 60L);
    hints.claimed(LANE, 0, at(1), hints.settled());
    assertThat(hints.floor(LANE)).isZero();
    hints.saw(at(2), 61, 62L); // all before 60 have ended
    assertThat(hints.settled()).isEqualTo(at(1));
    assertThat(hints.floor(LANE)).as("nobody has looked since").isZero();
    hints.sawNothing(LANE, 0, ANY, hints.settled());
    assertThat(hints.hint(LANE)).isEqualTo(at(1));
    assertThat(hints.floor(LANE)).isEqualTo(at(1));
  }

  /** The transaction that added it was open at every look, and has ended at the last one. */
  @Test
  void whatIsCommittedLateIsAboveTheFloorWhenItIsSettled() {
    long late = at(5);
    hints.saw(at(10), 40, 60L); // 40 adds it, and is open
    hints.claimed(LANE, 0, at(9) + 1, hints.settled());
    hints.saw(at(200), 40, 61L);
    assertThat(hints.hint(LANE)).as("more than what is recent").isGreaterThan(late);
    long from = hints.hint(LANE);
    long settledBefore = hints.settled();
    hints.saw(at(201), 62, 63L); // it has ended, and the look began above it
    hints.claimed(LANE, from, at(199) + 1, settledBefore);
    assertThat(hints.settled()).isGreaterThan(late);
    assertThat(hints.floor(LANE)).as("where the next sweep begins").isLessThanOrEqualTo(late);
    hints.found(LANE, late);
    assertThat(hints.hint(LANE)).isEqualTo(late);
  }

  @Test
  void aLookThatBeganBeforeSomethingWasSettledDoesNotProveThatItIsNotThere() {
    hints.saw(at(10), 50, 60L);
    long settledBefore = hints.settled();
    hints.saw(at(11), 60, 61L); // as another replica of this process saw meanwhile
    hints.sawNothing(LANE, 0, ANY, settledBefore);
    assertThat(hints.floor(LANE)).isZero();
  }

  @Test
  void aLaneThatIsNotLookedAtKeepsItsFloor() {
    hints.saw(at(10), 50, 60L);
    hints.claimed(LANE, 0, at(9) + 1, hints.settled());
    hints.saw(at(11), 60, 61L);
    hints.sawNothing(2, 0, ANY, hints.settled());
    assertThat(hints.floor(2)).isEqualTo(at(10));
    assertThat(hints.floor(LANE)).isZero();
    assertThat(hints.hint(LANE)).as("the last tenth of a second").isLessThan(at(9));
  }

  @Test
  void whatALookLeavesIsWhereTheNextOneBegins() {
    hints.saw(at(500), 50, 60L);
    hints.claimed(LANE, 0, at(490) + 1, hints.settled()); // a young one, alone
    hints.claimed(LANE, 0, at(300) + 20, hints.settled()); // twenty of many that came later
    assertThat(hints.hint(LANE)).isLessThanOrEqualTo(at(300) + 20);
  }

  @Test
  void whoeverBeganAboveWhatOthersLeftDoesNotGoPastIt() {
    hints.saw(at(500), 50, 60L);
    hints.claimed(LANE, 0, at(390), hints.settled());
    long planned = hints.hint(LANE);
    hints.found(LANE, at(200));
    hints.claimed(LANE, at(200), at(200) + 10, hints.settled()); // by one replica
    hints.claimed(LANE, planned, at(495), hints.settled()); // by the other
    assertThat(hints.hint(LANE)).isLessThanOrEqualTo(at(200) + 10);
  }

  @Test
  void jobsThatWaitForLongAreNotPassedOverBecauseTheyAreOld() {
    hints.saw(at(1_000_000), 50, 60L);
    hints.claimed(LANE, 0, at(100), hints.settled());
    assertThat(hints.hint(LANE)).isLessThanOrEqualTo(at(100));
  }

  @Test
  void afterTheClockWasSetBackNumbersOfThatTimeAreLookedAtAgain() {
    riseTo(at(HOUR));
    hints.saw(at(HOUR / 2), 62, 63L);
    assertThat(hints.floor(LANE)).isEqualTo(at(HOUR / 2 - 10 * MINUTE));
    assertThat(hints.hint(LANE)).isEqualTo(hints.floor(LANE));
    assertThat(hints.settled()).isEqualTo(hints.floor(LANE));
  }

  /** Two replicas of one process claim at the same time; dead rows of hours are not walked over. */
  @Test
  void aReplyThatWasOvertakenByAnotherCostsNoMoreThanASecond() {
    riseTo(at(HOUR));
    hints.saw(at(HOUR - 5), 62, 63L);
    assertThat(hints.floor(LANE)).isEqualTo(at(HOUR - 1005));
    assertThat(hints.hint(LANE)).isEqualTo(hints.floor(LANE));
  }

  @Test
  void aReplicaThatStartsBeginsWhereOthersWere() {
    hints.inherit(
        new LaneHints.Inherited(
            List.of(new LaneHints.Saved(LANE, at(5), at(700), 0)), 1, at(1_000)));
    assertThat(hints.floor(LANE)).isEqualTo(at(5));
    assertThat(hints.hint(LANE)).isEqualTo(at(700));
    assertThat(hints.hint(2)).as("a lane that nobody saved").isZero();
  }

  @Test
  void whatWasSavedByAClockThatWasAheadIsNotTrusted() {
    hints.inherit(
        new LaneHints.Inherited(
            List.of(new LaneHints.Saved(LANE, at(HOUR), at(HOUR) + 9, 0)), 1, at(HOUR - MINUTE)));
    assertThat(hints.hint(LANE)).isEqualTo(at(HOUR - 11 * MINUTE));
  }

  @Test
  void whatIsKnownIsNotLoweredByWhatOthersSaved() {
    riseTo(at(HOUR));
    hints.inherit(
        new LaneHints.Inherited(List.of(new LaneHints.Saved(LANE, at(5), at(6), 0)), 1, at(HOUR)));
    assertThat(hints.floor(LANE)).isEqualTo(at(HOUR));
  }

  @Test
  void aClaimThatTookTooLongIsFollowedByOneOfTheYoungestAndTheRestIsSwept() {
    hints.inherit(new LaneHints.Inherited(List.of(), 1, at(HOUR)));
    hints.skipAhead();
    assertThat(hints.hint(LANE)).isEqualTo(at(HOUR - 100));
    assertThat(hints.floor(LANE)).as("where sweeps begin").isZero();
    hints.found(LANE, at(7));
    assertThat(hints.hint(LANE)).isEqualTo(at(7));
  }

  @Test
  void aLaneIsSavedAfterManyJobsOrSomeTime() {
    long second = 1_000_000_000L;
    hints.inherit(new LaneHints.Inherited(List.of(), 1, at(HOUR)));
    hints.claimed(LANE, 0, at(50), 0);
    hints.count(LANE, 4_999);
    assertThat(hints.toSave(second)).isEmpty();
    hints.count(LANE, 1);
    assertThat(hints.toSave(2 * second))
        .containsExactly(new LaneHints.Saved(LANE, 0, at(50), 5_000));
    hints.saved(List.of(), 0, 3 * second); // it failed
    assertThat(hints.toSave(4 * second)).hasSize(1);
    hints.count(LANE, 10);
    hints.saved(List.of(new LaneHints.Saved(LANE, 0, at(50), 5_000)), 0, 4 * second);
    assertThat(hints.toSave(60 * second)).isEmpty();
    assertThat(hints.toSave(64 * second)).extracting(LaneHints.Saved::claimed).containsExactly(10);
  }

  private void riseTo(long floor) {
    hints.saw(floor, 50, 60L);
    hints.saw(floor + 1, 60, 61L);
    hints.sawNothing(LANE, 0, ANY, hints.settled());
    assertThat(hints.floor(LANE)).isEqualTo(floor);
  }
}
