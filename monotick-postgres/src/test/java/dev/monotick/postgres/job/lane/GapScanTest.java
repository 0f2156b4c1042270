package dev.monotick.postgres.job.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.job.row.JobIds;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sweeps are as large as they can be without taking more than a moment. */
class GapScanTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final long END = JobIds.span(1_000_000_000L);

  private final GapScan sweep = new GapScan(Duration.ofSeconds(10), 0);

  @Test
  void theFirstOneIsDueAfterASecondAndLooksAtEverything() {
    assertThat(sweep.isDue(SECOND - 1)).isFalse();
    assertThat(sweep.isDue(SECOND)).isTrue();
    assertThat(sweep.isCheap()).as("that is not known yet").isFalse();
    GapScan.Range piece = sweep.piece(0, END);
    assertThat(piece).isEqualTo(new GapScan.Range(0, END));
    sweep.scanned(piece, END, MILLI, SECOND);
    assertThat(sweep.isCheap()).isTrue();
    assertThat(sweep.isDue(11 * SECOND - 1)).isFalse();
    assertThat(sweep.isDue(11 * SECOND)).isTrue();
  }

  @Test
  void onePieceThatFailedIsFollowedByMuchSmallerOnesFromTheSamePlace() {
    GapScan.Range piece = sweep.piece(0, END);
    sweep.failed(piece, SECOND / 2, SECOND);
    assertThat(sweep.isCheap()).isFalse();
    assertThat(sweep.isDue(11 * SECOND - 1)).as("it takes a twentieth of the time").isFalse();
    assertThat(sweep.isDue(11 * SECOND)).isTrue();
    assertThat(sweep.piece(0, END)).isEqualTo(new GapScan.Range(0, END / 64));
    for (int i = 0; i < 20; i++) {
      sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    }
    assertThat(sweep.piece(0, END)).as("the least").isEqualTo(new GapScan.Range(0, JobIds.span(1)));
  }

  @Test
  void quickPiecesGrowAndGoOnWhereTheLastOneEnded() {
    sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    GapScan.Range piece = sweep.piece(0, END);
    sweep.scanned(piece, END, MILLI, SECOND);
    assertThat(sweep.piece(0, END))
        .isEqualTo(new GapScan.Range(END / 64, END / 64 + 2 * (END / 64)));
    assertThat(sweep.isCheap()).as("it was a piece").isFalse();
  }

  @Test
  void piecesGrowAgainAfterAFailureThoughEveryRequestIsSlow() {
    for (int i = 0; i < 3; i++) {
      sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    }
    int pieces = 0;
    GapScan.Range piece;
    do {
      piece = sweep.piece(0, END);
      sweep.scanned(piece, END, (pieces % 2 == 0 ? 100 : 130) * MILLI, SECOND);
      pieces++;
    } while (piece.high() < END);
    assertThat(pieces).isLessThan(25);
  }

  @Test
  void slowPiecesBecomeSmaller() {
    sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    sweep.scanned(sweep.piece(0, END), END, MILLI, SECOND);
    GapScan.Range piece = sweep.piece(0, END);
    sweep.scanned(piece, END, 60 * MILLI, SECOND);
    GapScan.Range next = sweep.piece(0, END);
    assertThat(next.high() - next.low()).isEqualTo((piece.high() - piece.low()) / 4);
  }

  @Test
  void soonIsNotSoonerThanItsShareOfTheTime() {
    sweep.failed(sweep.piece(0, END), SECOND / 2, SECOND);
    sweep.soon(2 * SECOND);
    assertThat(sweep.isDue(2 * SECOND)).isFalse();
    sweep.scanned(sweep.piece(0, END), END, MILLI, 20 * SECOND);
    sweep.scanned(new GapScan.Range(END / 64, END), END, MILLI, 20 * SECOND);
    assertThat(sweep.isDue(21 * SECOND)).isFalse();
    sweep.soon(21 * SECOND);
    assertThat(sweep.isDue(21 * SECOND)).isTrue();
  }
}
