package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** No job is passed over for longer than until the next sweep, whatever overtakes it. */
class LaneHintsTest {

  private static final int LANE = 1;
  private static final long ANY = Long.MAX_VALUE;

  private final LaneHints hints = new LaneHints();

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
  void allIsForgottenWhenTheClockIsSetBack() {
    hints.saw(at(10), 50, 60L);
    hints.saw(at(11), 60, 61L);
    hints.sawNothing(LANE, 0, ANY, hints.settled());
    assertThat(hints.floor(LANE)).isPositive();
    hints.saw(at(5), 62, 63L);
    assertThat(hints.floor(LANE)).isZero();
    assertThat(hints.hint(LANE)).isZero();
    assertThat(hints.settled()).isZero();
  }
}
