package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.FakeTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseWatchTest {

  private static final Duration OWN = Duration.ofSeconds(6);
  private static final MemberId HOLDER = MemberId.random();

  private final FakeTime time = new FakeTime();
  private final LeaseWatch watch = new LeaseWatch(time.timeSource().ticker(), OWN);

  private static LeaseRow row(long beat, Duration duration) {
    return new LeaseRow(HOLDER, new Fence(1, 7), beat, false, duration, null);
  }

  private static LeaseRow row(long beat) {
    return row(beat, OWN);
  }

  @Test
  void nothingSeenIsNothingToTake() {
    assertThat(watch.hasRunOut()).isFalse();
    assertThat(watch.untilRunOut()).isEmpty();
  }

  @Test
  void rowThatStaysTheSameRunsOutAfterItsLease() {
    watch.observed(row(1), 1);
    time.advance(Duration.ofSeconds(2));
    watch.observed(row(1), 1);
    assertThat(watch.untilRunOut()).contains(Duration.ofSeconds(4));
    time.advance(Duration.ofSeconds(4).minusNanos(1));
    assertThat(watch.hasRunOut()).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(watch.hasRunOut()).isTrue();
    assertThat(watch.untilRunOut()).as("it is free now").isEmpty();
  }

  @Test
  void anyChangeBeginsAnew() {
    LeaseRow first = row(1);
    LeaseRow[] changed = {
      row(2),
      row(0), // a server that forgot a beat
      new LeaseRow(HOLDER, new Fence(1, 8), 1, false, OWN, null),
      new LeaseRow(MemberId.random(), new Fence(1, 7), 1, false, OWN, null),
      new LeaseRow(HOLDER, new Fence(1, 7), 1, true, OWN, null)
    };
    for (LeaseRow row : changed) {
      watch.observed(first, 1);
      time.advance(OWN);
      assertThat(watch.hasRunOut()).isTrue();
      watch.observed(row, 1);
      assertThat(watch.hasRunOut()).as("%s", row).isFalse();
    }
  }

  @Test
  void promotedServerBeginsAnewBecauseItMayHaveForgottenBeats() {
    watch.observed(row(1), 1);
    time.advance(OWN);
    watch.observed(row(1), 2);
    assertThat(watch.hasRunOut()).isFalse();
    time.advance(OWN);
    assertThat(watch.hasRunOut()).isTrue();
  }

  @Test
  void longerOfTheTwoLeasesCounts() {
    watch.observed(row(1, Duration.ofSeconds(20)), 1);
    time.advance(Duration.ofSeconds(19));
    assertThat(watch.hasRunOut()).isFalse();
    time.advance(Duration.ofSeconds(1));
    assertThat(watch.hasRunOut()).isTrue();
    watch.observed(row(2, Duration.ofSeconds(1)), 1);
    time.advance(Duration.ofSeconds(5));
    assertThat(watch.hasRunOut()).isFalse();
  }

  @Test
  void releasedRowNeedsNoWaiting() {
    watch.observed(new LeaseRow(HOLDER, new Fence(1, 7), 1, true, OWN, null), 1);
    assertThat(watch.untilRunOut()).isEmpty();
  }
}
