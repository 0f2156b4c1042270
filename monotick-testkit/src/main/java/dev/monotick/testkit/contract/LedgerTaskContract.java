package dev.monotick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every ledger keeps what is known of a task: its schedule, its pause, its history. */
@Timeout(60)
public abstract class LedgerTaskContract extends LedgerContract {

  /** For backends. */
  protected LedgerTaskContract() {}

  @Test
  void newTaskBeginsAtItsStart() {
    assertThat(ledger().register(List.of(new SeriesRegistration("new", SCHEDULE, minute(3)))))
        .containsExactly(new SeriesState("new", minute(3), 0, 0, 0, null, null, null, null));
  }

  @Test
  void knownTaskGoesOnWhereItWas() {
    finish(claimed(a, 5), tick(5), Outcome.FAILED, 5);
    SeriesState before = state();
    assertThat(ledger().register(List.of(new SeriesRegistration(TASK, SCHEDULE, minute(9)))))
        .containsExactly(before);
  }

  @Test
  void changedScheduleBeginsAtItsStart() {
    claimed(a, 5);
    SeriesRegistration changed = new SeriesRegistration(TASK, "every PT2M", minute(9));
    SeriesState state = ledger().register(List.of(changed)).get(0);
    assertThat(state.cursor()).isEqualTo(minute(9));
    assertThat(state.open()).as("what runs goes on").isEqualTo(1);
    SeriesRegistration again = new SeriesRegistration(TASK, "every PT2M", minute(20));
    assertThat(ledger().register(List.of(again)).get(0).cursor()).isEqualTo(minute(9));
  }

  @Test
  void changedScheduleNeverMovesTheCursorBack() {
    claimed(a, 5);
    SeriesRegistration changed = new SeriesRegistration(TASK, "every PT2M", minute(2));
    assertThat(ledger().register(List.of(changed)).get(0).cursor()).isEqualTo(minute(5));
  }

  @Test
  void taskThatIsRegisteredByManyAtOnceIsOne() {
    List<SeriesState> states =
        Race.run(
            10,
            i ->
                ledger()
                    .register(List.of(new SeriesRegistration("new", SCHEDULE, minute(i))))
                    .get(0));
    assertThat(states).extracting(SeriesState::cursor).containsOnly(states.get(0).cursor());
  }

  @Test
  void statesAreThoseOfKnownTasks() {
    register("other");
    assertThat(ledger().states(List.of("other", "unknown", TASK)))
        .extracting(SeriesState::task)
        .containsExactlyInAnyOrder("other", TASK);
    assertThat(ledger().states(List.of())).isEmpty();
  }

  @Test
  void pauseStaysAsItIs() {
    assertThat(ledger().pause(TASK, BY_HAND).pause()).isEqualTo(BY_HAND);
    SeriesPause other = new SeriesPause("bob", "me too", minute(101));
    assertThat(ledger().pause(TASK, other).pause()).isEqualTo(BY_HAND);
    assertThat(state().pause()).isEqualTo(BY_HAND);
  }

  @Test
  void resumeAccountsForThePauseAndForgetsTheFailures() {
    finish(claimed(a, 1), tick(1), Outcome.FAILED, 1);
    SeriesState seen = ledger().pause(TASK, BY_HAND);
    TickRecord.Range gap = TickRecord.Range.skipped(minute(2), minute(6), 5, SkipReason.PAUSED);
    SeriesState resumed = ledger().resume(seen, List.of(gap)).orElseThrow();
    assertThat(resumed).isEqualTo(state());
    assertThat(resumed.pause()).isNull();
    assertThat(resumed.failures()).isZero();
    assertThat(resumed.lastFailureAt()).isNull();
    assertThat(resumed.cursor()).isEqualTo(minute(6));
    TickRecord row = row(tick(2));
    assertThat(row.count()).isEqualTo(5);
    assertThat(row.reason()).isEqualTo(SkipReason.PAUSED);
    assertThat(ledger().resume(seen, List.of(gap))).as("sent again").isEmpty();
    assertThat(history()).hasSize(2);
    claimed(a, 7);
  }

  @Test
  void resumeForgetsTheFailuresOfATaskThatNobodyPaused() {
    finish(claimed(a, 1), tick(1), Outcome.FAILED, 1);
    assertThat(ledger().resume(state(), List.of()).orElseThrow().failures()).isZero();
  }

  @Test
  void resumeOnAnotherStateThanSeenDoesNothing() {
    SeriesState old = state();
    claimed(a, 1);
    ledger().pause(TASK, BY_HAND);
    assertThat(ledger().resume(old, List.of())).isEmpty();
    assertThat(state().pause()).isEqualTo(BY_HAND);
  }

  @Test
  void resumeThatIsSentAgainDoesNotEndALaterPause() {
    SeriesState seen = ledger().pause(TASK, BY_HAND);
    assertThat(ledger().resume(seen, List.of())).isPresent();
    SeriesPause later = new SeriesPause("bob", "again", minute(101));
    ledger().pause(TASK, later);
    assertThat(ledger().resume(seen, List.of())).isEmpty();
    assertThat(state().pause()).isEqualTo(later);
  }

  @Test
  void runThatIsOpenWhenATaskIsPausedEndsAsUsual() {
    var claim = claimed(a, 1);
    ledger().pause(TASK, BY_HAND);
    assertThat(finish(claim, tick(1), Outcome.SUCCEEDED, 2).recorded()).isTrue();
    assertThat(state().open()).isZero();
  }

  @Test
  void historyIsNewestFirstAndLimited() {
    for (int minute = 1; minute <= 5; minute++) {
      finish(claimed(a, minute), tick(minute), Outcome.SUCCEEDED, minute);
    }
    assertThat(ledger().history(TASK, 3))
        .extracting(TickRecord::tick)
        .containsExactly(tick(5), tick(4), tick(3));
    assertThat(ledger().history("unknown", 3)).isEmpty();
  }

  @Test
  void ledgerKeepsItsWordOnRunsAtMostAndAtLeastOnce() {
    assertThat(ledger().effects()).contains(Effect.AT_MOST_ONCE, Effect.AT_LEAST_ONCE);
  }
}
