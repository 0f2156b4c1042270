package dev.monotick.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrefetchTest {

  private static final long SECOND = 1_000_000_000;
  private static final int SLOTS = 20;

  private final Prefetch prefetch = new Prefetch(SLOTS, 0);
  private long nanos;

  @Test
  void atFirstThereIsRoomForWhatCanBeRunAtOnce() {
    assertThat(prefetch.room(0, 0)).isEqualTo(SLOTS);
    assertThat(prefetch.room(SLOTS - 1, 0)).isEqualTo(1);
    assertThat(prefetch.room(SLOTS, 0)).isZero();
  }

  @Test
  void slowJobsAreNotTakenBeforeThereIsASlot() {
    run(100, 10);
    assertThat(prefetch.room(SLOTS, nanos)).isZero();
    assertThat(prefetch.room(0, nanos)).isEqualTo(SLOTS);
  }

  @Test
  void quickJobsAreTakenAheadAndNotInSmallPieces() {
    run(100, 10_000);
    assertThat(prefetch.room(SLOTS, nanos)).isBetween(450, 500); // a twentieth of a second
    assertThat(prefetch.room(SLOTS + 100, nanos)).isBetween(350, 400);
    assertThat(prefetch.room(SLOTS + 300, nanos)).as("more than half is still here").isZero();
  }

  @Test
  void howeverQuickTheyAreThereIsABound() {
    run(100, 1_000_000);
    assertThat(prefetch.room(0, nanos)).isEqualTo(SLOTS + Prefetch.MOST);
  }

  @Test
  void paceOfLongAgoSaysNothingOfWhatComesNow() {
    run(100, 10_000);
    assertThat(prefetch.room(0, nanos + 2 * SECOND)).isEqualTo(SLOTS);
  }

  @Test
  void jobsThatWereTakenTooEarlyAreALesson() {
    run(100, 10_000);
    prefetch.reset();
    assertThat(prefetch.room(0, nanos)).isEqualTo(SLOTS);
  }

  /** Ends so many jobs a second, told ten times a second. */
  private void run(int times, int perSecond) {
    for (int i = 0; i < times; i++) {
      nanos += SECOND / 10;
      prefetch.ended(perSecond / 10, nanos);
    }
  }
}
