package dev.monotick.postgres.job.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Lane;
import dev.monotick.postgres.job.row.ExchangeCall;
import dev.monotick.postgres.job.row.JobIds;
import dev.monotick.spi.replica.MemberId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sweeps come round to every lane, however many there are. */
class ActiveLanesTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final long POSITION = JobIds.span(1_000_000_000L);
  private static final int LANES = 600;

  private final ActiveLanes book = new ActiveLanes(0);
  private final Map<Integer, Long> lookedUpTo = new HashMap<>();
  private long now;

  /** Claims of 600 lanes begin behind everything that was added so far. */
  @BeforeEach
  void inherit() {
    List<ScanPositions.Saved> saved =
        IntStream.rangeClosed(1, LANES)
            .mapToObj(lane -> new ScanPositions.Saved(lane, 0, POSITION, 0))
            .toList();
    book.inherit(new ScanPositions.Inherited(saved, 1, 2 * POSITION), 0);
    assertThat(claim().lanes().length).as("a busy replica claims of some lanes").isLessThan(LANES);
  }

  @Test
  void allOfManyLanesAreLookedAtWithinTenSeconds() {
    now = SECOND;
    while (now < 11 * SECOND && lookedUpTo.size() < LANES) {
      ActiveLanes.Sweep sweep = book.sweep(false, now);
      if (sweep != null && !sweep.isRecent()) {
        assertThat(sweep.lanes()).as("in one statement").hasSizeLessThanOrEqualTo(256);
        look(sweep, MILLI);
      } else if (sweep != null) {
        swept(sweep, MILLI);
      }
      claim();
      now += 10 * MILLI;
    }
    assertThat(lookedUpTo).hasSize(LANES);
    assertThat(new HashSet<>(lookedUpTo.values())).containsExactly(POSITION);
  }

  /** Else the lanes of one sweep would be looked at from where that of others ended. */
  @Test
  void piecesOfASweepAreOfTheSameLanesUntilAllOfThemWereLookedAt() {
    now = SECOND;
    Set<List<Integer>> slices = new HashSet<>();
    boolean hasFailed = false;
    while (lookedUpTo.values().stream().filter(end -> end == POSITION).count() < LANES) {
      assertThat(now).isLessThan(1_000 * SECOND);
      ActiveLanes.Sweep sweep = book.sweep(true, now);
      if (sweep != null && slices.add(sweep.lanes()) && slices.size() == 2) {
        now += SECOND / 2;
        book.sweepFailed(sweep, SECOND / 2, now); // in the second slice
        hasFailed = true;
      } else if (sweep != null) {
        look(sweep, 20 * MILLI);
      }
      claim();
      now += 100 * MILLI;
    }
    assertThat(hasFailed).isTrue();
    assertThat(slices).hasSize(3);
  }

  /** As of an idle replica: once a second its timer asks, and claims are ten seconds apart. */
  @Test
  void everythingIsLookedAtEveryTwelveSecondsWithoutAnyClaim() {
    List<Long> rounds = new ArrayList<>();
    long begun = 0;
    while (now < 120 * SECOND) {
      now += SECOND;
      for (ActiveLanes.Sweep sweep = book.sweep(true, now);
          sweep != null;
          sweep = book.sweep(true, now)) {
        look(sweep, MILLI);
        now += 20 * MILLI;
      }
      if (lookedUpTo.size() == LANES) {
        rounds.add(now - begun);
        begun = now;
        lookedUpTo.clear();
      }
    }
    assertThat(rounds).hasSizeGreaterThanOrEqualTo(9);
    assertThat(rounds).allMatch(nanos -> nanos <= 12 * SECOND);
  }

  @Test
  void replicaThatIsIdleLooksAtNothingTwice() {
    int sweeps = 0;
    for (now = SECOND; now < 101 * SECOND; now += SECOND) {
      for (ActiveLanes.Sweep sweep = book.sweep(true, now);
          sweep != null;
          sweep = book.sweep(true, now)) {
        look(sweep, MILLI);
        now += 20 * MILLI;
        sweeps++;
      }
    }
    assertThat(sweeps).as("three statements for all lanes, each 11 s or so").isBetween(24, 30);
  }

  /** Checks that nothing of the sweep's lanes was left out below it, and takes in what it found. */
  private void look(ActiveLanes.Sweep sweep, long tookNanos) {
    for (int lane : sweep.lanes()) {
      long before = lookedUpTo.getOrDefault(lane, 0L);
      if (before < POSITION) {
        assertThat(sweep.range().low()).as("lane %s", lane).isEqualTo(before);
        lookedUpTo.put(lane, Math.min(POSITION, sweep.range().high()));
      }
    }
    swept(sweep, tookNanos);
  }

  private void swept(ActiveLanes.Sweep sweep, long tookNanos) {
    now += tookNanos;
    book.swept(sweep, List.of(), tookNanos, now);
  }

  private ActiveLanes.Plan claim() {
    ExchangeCall turn =
        new ExchangeCall(MemberId.random(), 1, List.of(), 1, Set.of("letter"), Set.of(), false);
    return book.plan(TABLE, turn, 0, now);
  }

  private static final LaneRules TABLE = table();

  private static LaneRules table() {
    Map<Integer, Lane> lanes = new HashMap<>();
    Map<Lane, Integer> ids = new HashMap<>();
    for (int id = 1; id <= LANES; id++) {
      Lane lane = new Lane("mail", "letter", "tenant" + id, id % 10);
      lanes.put(id, lane);
      ids.put(lane, id);
    }
    return new LaneRules(1, lanes, ids, Set.of(), Set.of(), Map.of(), List.of());
  }
}
