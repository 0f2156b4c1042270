package dev.monotick.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sweeps are as large as they can be without taking more than a moment. */
class LaneSweepTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final long END = JobIds.span(1_000_000_000L);

  private final LaneSweep sweep = new LaneSweep(Duration.ofSeconds(10), 0);

  @Test
  void theFirstOneIsDueAfterASecondAndLooksAtEverything() {
    assertThat(sweep.isDue(SECOND - 1)).isFalse();
    assertThat(sweep.isDue(SECOND)).isTrue();
    assertThat(sweep.isCheap()).as("that is not known yet").isFalse();
    LaneSweep.Range piece = sweep.piece(0, END);
    assertThat(piece).isEqualTo(new LaneSweep.Range(0, END));
    sweep.looked(piece, END, MILLI, SECOND);
    assertThat(sweep.isCheap()).isTrue();
    assertThat(sweep.isDue(11 * SECOND - 1)).isFalse();
    assertThat(sweep.isDue(11 * SECOND)).isTrue();
  }

  @Test
  void onePieceThatFailedIsFollowedByMuchSmallerOnesFromTheSamePlace() {
    LaneSweep.Range piece = sweep.piece(0, END);
    sweep.failed(piece, SECOND / 2, SECOND);
    assertThat(sweep.isCheap()).isFalse();
    assertThat(sweep.isDue(11 * SECOND - 1)).as("it takes a twentieth of the time").isFalse();
    assertThat(sweep.isDue(11 * SECOND)).isTrue();
    assertThat(sweep.piece(0, END)).isEqualTo(new LaneSweep.Range(0, END / 64));
    for (int i = 0; i < 20; i++) {
      sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    }
    assertThat(sweep.piece(0, END))
        .as("the least")
        .isEqualTo(new LaneSweep.Range(0, JobIds.span(1)));
  }

  @Test
  void quickPiecesGrowAndGoOnWhereTheLastOneEnded() {
    sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    LaneSweep.Range piece = sweep.piece(0, END);
    sweep.looked(piece, END, MILLI, SECOND);
    assertThat(sweep.piece(0, END))
        .isEqualTo(new LaneSweep.Range(END / 64, END / 64 + 2 * (END / 64)));
    assertThat(sweep.isCheap()).as("it was a piece").isFalse();
  }

  @Test
  void piecesGrowAgainAfterAFailureThoughEveryRequestIsSlow() {
    for (int i = 0; i < 3; i++) {
      sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    }
    int pieces = 0;
    LaneSweep.Range piece;
    do {
      piece = sweep.piece(0, END);
      sweep.looked(piece, END, (pieces % 2 == 0 ? 100 : 130) * MILLI, SECOND);
      pieces++;
    } while (piece.high() < END);
    assertThat(pieces).isLessThan(25);
  }

  @Test
  void slowPiecesBecomeSmaller() {
    sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    sweep.looked(sweep.piece(0, END), END, MILLI, SECOND);
    LaneSweep.Range piece = sweep.piece(0, END);
    sweep.looked(piece, END, 60 * MILLI, SECOND);
    LaneSweep.Range next = sweep.piece(0, END);
    assertThat(next.high() - next.low()).isEqualTo((piece.high() - piece.low()) / 4);
  }

  @Test
  void soonIsNotSoonerThanItsShareOfTheTime() {
    sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    sweep.soon(2 * SECOND);
    assertThat(sweep.isDue(2 * SECOND)).isFalse();
    sweep.looked(sweep.piece(0, END), END, MILLI, 20 * SECOND);
    sweep.looked(new LaneSweep.Range(END / 64, END), END, MILLI, 20 * SECOND);
    assertThat(sweep.isDue(21 * SECOND)).isFalse();
    sweep.soon(21 * SECOND);
    assertThat(sweep.isDue(21 * SECOND)).isTrue();
  }
}
