package dev.monotick.internal.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.monotick.internal.lane.LanePicker.Candidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LanePickerTest {

  private static final int FLOOD = 1_000_000;

  private final LanePicker picker = new LanePicker();

  @Test
  void nothingIsTakenOfNothing() {
    assertThat(picker.pick(List.of(), 10)).isEmpty();
    assertThat(picker.pick(List.of(lane(1, "a", 1, 5, 10)), 0)).containsExactly(0);
  }

  @Test
  void onlyLaneGivesAllItHas() {
    assertThat(picker.pick(List.of(lane(1, "a", 1, 5, 7)), 10)).containsExactly(7);
    assertThat(picker.pick(List.of(lane(1, "a", 1, 5, LanePicker.MANY)), 10)).containsExactly(10);
  }

  @Test
  void tenantsShareByTheirWeightsHoweverManyLanesTheyHave() {
    List<Candidate> lanes =
        List.of(
            lane(1, "a", 3, 5, FLOOD),
            lane(2, "b", 1, 5, FLOOD),
            lane(3, "b", 1, 5, FLOOD),
            lane(4, "b", 1, 5, FLOOD));
    int[] sums = picked(lanes, 7, 1_000);
    assertThat(sums[0]).isCloseTo(7_000 * 3 / 4, within(1));
    assertThat(sums[1] + sums[2] + sums[3]).isCloseTo(7_000 / 4, within(3));
    assertThat(sums[1]).isCloseTo(sums[2], within(2)).isCloseTo(sums[3], within(2));
  }

  @Test
  void eachPriorityGetsTwiceAsMuchAsTheNext() {
    List<Candidate> lanes = IntStream.range(0, 10).mapToObj(p -> lane(p, "", 1, p, FLOOD)).toList();
    int[] sums = picked(lanes, 13, 10_000);
    for (int p = 0; p < 10; p++) {
      assertThat(sums[p]).isCloseTo((int) (130_000L * (1 << (9 - p)) / 1023), within(2));
    }
  }

  @Test
  void sharesConvergeForRandomWeightsAndSizesOfTurns() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      LanePicker some = new LanePicker();
      int tenants = 1 + random.nextInt(8);
      List<Candidate> lanes = new ArrayList<>();
      long total = 0;
      int[] weights = new int[tenants];
      for (int t = 0; t < tenants; t++) {
        weights[t] = 1 + random.nextInt(20);
        total += weights[t];
        lanes.add(lane(t, "t" + t, weights[t], random.nextInt(10), FLOOD));
      }
      long[] sums = new long[tenants];
      long all = 0;
      for (int turn = 0; turn < 400; turn++) {
        int most = 1 + random.nextInt(60);
        int[] takes = some.pick(lanes, most);
        assertThat(Arrays.stream(takes).sum()).isEqualTo(most);
        all += most;
        for (int t = 0; t < tenants; t++) {
          sums[t] += takes[t];
        }
      }
      for (int t = 0; t < tenants; t++) {
        assertThat((double) sums[t])
            .as("tenant %d of seed %d", t, seed)
            .isCloseTo((double) all * weights[t] / total, within(2.0));
      }
    }
  }

  @Test
  void takesAreBoundedByWhatIsThereAndLeaveNothingThatIsWanted() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      LanePicker some = new LanePicker();
      for (int turn = 0; turn < 50; turn++) {
        List<Candidate> lanes = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
          if (random.nextBoolean()) {
            Duration waited = Duration.ofSeconds(random.nextInt(400));
            int available = 1 + random.nextInt(random.nextBoolean() ? 3 : 1_000);
            String tenant = "t" + i % 4;
            lanes.add(new Candidate(i, tenant, 1 + i % 4, random.nextInt(10), waited, available));
          }
        }
        int most = random.nextInt(200);
        int[] takes = some.pick(lanes, most);
        long there = 0;
        for (int i = 0; i < takes.length; i++) {
          assertThat(takes[i]).isBetween(0, lanes.get(i).available());
          there += lanes.get(i).available();
        }
        assertThat((long) Arrays.stream(takes).sum())
            .as("seed %d turn %d", seed, turn)
            .isEqualTo(Math.min(most, there));
      }
    }
  }

  @Test
  void whatOneCannotUseCostsTheOthersNothing() {
    for (int turn = 0; turn < 100; turn++) {
      int[] takes = picker.pick(List.of(lane(1, "a", 1, 5, FLOOD), lane(2, "b", 1, 5, 1)), 10);
      assertThat(takes).containsExactly(9, 1);
    }
    int[] takes = picker.pick(List.of(lane(1, "a", 1, 5, FLOOD), lane(2, "b", 1, 5, FLOOD)), 10);
    assertThat(takes).as("nothing is owed for what nobody else wanted").containsExactly(5, 5);
  }

  @Test
  void leastUrgentIsServedWithinItsShareBesideAFloodOfTheMostUrgent() {
    List<Candidate> lanes = List.of(lane(1, "", 1, 0, FLOOD), lane(2, "", 1, 9, 1));
    assertThat(jobsUntilServed(lanes, 1)).isLessThanOrEqualTo(513);
    assertThat(jobsUntilServed(lanes, 10)).isLessThanOrEqualTo(520);
  }

  @Test
  void leastUrgentIsServedSoonerTheLongerItWaits() {
    int last = Integer.MAX_VALUE;
    for (int seconds = 0; seconds <= 270; seconds += 30) {
      Candidate old = new Candidate(2, "", 1, 9, Duration.ofSeconds(seconds), 1);
      int jobs = jobsUntilServed(List.of(lane(1, "", 1, 0, FLOOD), old), 1);
      int bound = 1 + (1 << (9 - seconds / 30));
      assertThat(jobs).as("after %d s", seconds).isLessThanOrEqualTo(bound).isLessThan(last);
      last = jobs;
    }
    assertThat(last).as("as urgent as all others, and older").isEqualTo(1);
  }

  @Test
  void leastUrgentIsServedEvenIfTheUrgentOnesAreAlwaysNewLanes() {
    int turns = 0;
    int[] takes;
    do {
      turns++;
      takes = picker.pick(List.of(lane(1, "", 1, 9, 1), lane(100 + turns, "", 1, 0, 1)), 1);
    } while (takes[0] == 0 && turns < 10_000);
    assertThat(turns).isLessThanOrEqualTo(513);
  }

  @Test
  void floodOfOneTenantDelaysAnotherByOneTurnAtMost() {
    Random random = new Random(7);
    for (int turn = 0; turn < 2_000; turn++) {
      int most = 2 + random.nextInt(20);
      List<Candidate> lanes = new ArrayList<>();
      lanes.add(lane(1, "flood", 1, 0, FLOOD));
      if (turn % 3 == 0) {
        lanes.add(lane(2, "small", 1, 9, 1));
      }
      int[] takes = picker.pick(lanes, most);
      if (turn % 3 == 0 && takes[1] == 0) {
        assertThat(picker.pick(lanes, most)[1]).as("turn %d", turn).isEqualTo(1);
      }
    }
  }

  @Test
  void oneThatComesAndGoesGetsNoMoreThanItsShare() {
    int[] sums = new int[2];
    for (int turn = 0; turn < 1_000; turn++) {
      int[] takes = picker.pick(List.of(lane(1, "a", 1, 5, FLOOD), lane(2, "b", 1, 5, 1)), 1);
      sums[0] += takes[0];
      sums[1] += takes[1];
      if (takes[1] == 1) {
        sums[0] += picker.pick(List.of(lane(1, "a", 1, 5, FLOOD)), 1)[0];
      }
    }
    assertThat(sums[1]).isLessThanOrEqualTo(sums[0]);
  }

  @Test
  void samePicksGiveTheSame() {
    LanePicker other = new LanePicker();
    Random random = new Random(1);
    for (int turn = 0; turn < 300; turn++) {
      List<Candidate> lanes = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        lanes.add(lane(i, "t" + i % 5, 1 + i % 3, random.nextInt(10), 1 + random.nextInt(50)));
      }
      int most = random.nextInt(100);
      assertThat(picker.pick(lanes, most)).isEqualTo(other.pick(lanes, most));
    }
  }

  @Test
  void laneThatWasForgottenOwesNothing() {
    List<Candidate> lanes = List.of(lane(1, "a", 1, 5, FLOOD), lane(2, "b", 1, 5, FLOOD));
    assertThat(picker.pick(lanes, 1)).containsExactly(1, 0);
    picker.forget(1);
    picker.forget(2);
    assertThat(picker.pick(lanes, 1)).containsExactly(1, 0);
  }

  private int[] picked(List<Candidate> lanes, int most, int turns) {
    int[] sums = new int[lanes.size()];
    for (int turn = 0; turn < turns; turn++) {
      int[] takes = picker.pick(lanes, most);
      for (int i = 0; i < sums.length; i++) {
        sums[i] += takes[i];
      }
    }
    return sums;
  }

  private static int jobsUntilServed(List<Candidate> lanes, int most) {
    LanePicker fresh = new LanePicker();
    int jobs = most;
    while (fresh.pick(lanes, most)[1] == 0) {
      jobs += most;
    }
    return jobs;
  }

  private static Candidate lane(int lane, String tenant, int weight, int priority, int available) {
    return new Candidate(lane, tenant, weight, priority, Duration.ZERO, available);
  }
}
