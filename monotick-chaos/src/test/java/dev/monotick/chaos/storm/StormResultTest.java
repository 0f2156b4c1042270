package dev.monotick.chaos.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A storm in which too little happened proves nothing, and must not pass. */
class StormResultTest {

  private static final StormResult.Losses LOSSES = new StormResult.Losses(true, true, 3, 2);
  private static final StormResult.HandoffCounts HANDED = new StormResult.HandoffCounts(90, 8, 2);
  private static final Map<String, Long> REFUSALS = Map.of("42501", 5L, "0A000", 2L);
  private static final StormResult.Purges PURGES = new StormResult.Purges(true, 4, 2);

  @Test
  void stormInWhichEverythingHappenedHasNoComplaints() {
    assertThat(result(LOSSES, HANDED, REFUSALS, PURGES, 3).complaints()).isEmpty();
  }

  @Test
  void errorThatRefusedNothingIsNamed() {
    assertThat(result(LOSSES, HANDED, Map.of("42501", 5L, "0A000", 0L), PURGES, 3).complaints())
        .containsExactly("no completion was refused with SQL error 0A000");
  }

  @Test
  void rescueOfAHandedJobFromAKilledWorkerIsNotEnough() {
    StormResult.HandoffCounts killed = new StormResult.HandoffCounts(90, 8, 0);
    assertThat(result(LOSSES, killed, REFUSALS, PURGES, 3).complaints())
        .containsExactly("no job was handed to a worker in a packet loss and done by another");
    StormResult.Losses few = new StormResult.Losses(true, false, 3, 2);
    assertThat(result(few, killed, REFUSALS, PURGES, 3).complaints()).isEmpty();
  }

  @Test
  void purgesAndUnknownOutcomesAreNeeded() {
    StormResult.Purges none = new StormResult.Purges(true, 0, 0);
    assertThat(result(LOSSES, HANDED, REFUSALS, none, 0).complaints())
        .containsExactly(
            "no job was purged while a worker that had had it was stopped or cut off",
            "the tables were not maintained while a worker was stopped or cut off",
            "no AT_MOST_ONCE job was lost while it ran");
  }

  private static StormResult result(
      StormResult.Losses losses,
      StormResult.HandoffCounts handed,
      Map<String, Long> refusals,
      StormResult.Purges purges,
      long unknown) {
    return new StormResult(
        100, 150, 2, 2, 1, losses, handed, refusals, purges, unknown, 7, Map.of(), List.of());
  }
}
