package dev.monotick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job.Attempt.Outcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs under random demands, from replicas that die, come back as zombies and lose replies. More
 * seeds: {@code -Dmonotick.seeds=1000}, one of them again: {@code -Dmonotick.seed=17}, longer runs:
 * {@code -Dmonotick.steps=1000}, the most.
 */
@Tag("thorough")
@Timeout(300)
class RandomJobsTest {

  private static final int STEPS = Math.min(1_000, Integer.getInteger("monotick.steps", 400));
  private static final Map<Outcome, Long> SEEN = new EnumMap<>(Outcome.class);
  private static long refused;
  private static long repeated;
  private static long blocked;

  static LongStream seeds() {
    Long one = Long.getLong("monotick.seed");
    long first = Long.getLong("monotick.firstSeed", 1L);
    return one == null
        ? LongStream.range(first, first + Long.getLong("monotick.seeds", 12L))
        : LongStream.of(one);
  }

  @ParameterizedTest(name = "-Dmonotick.seed={0}")
  @MethodSource("seeds")
  void everyJobIsInOneStateAndEveryRunEndsOnce(long seed) {
    try {
      JobChaos chaos = new JobChaos(seed);
      chaos.run(STEPS);
      chaos.outcomes().forEach((outcome, count) -> SEEN.merge(outcome, count, Long::sum));
      refused += chaos.refused();
      repeated += chaos.repeated();
      blocked += chaos.timesAtALimit();
    } catch (Throwable e) {
      throw new AssertionError("failed; run it again with -Dmonotick.seed=" + seed, e);
    }
  }

  /** A run in which nothing went wrong proves nothing. */
  @AfterAll
  static void faultsHadTheirEffect() {
    if (Long.getLong("monotick.seed") == null) {
      assertThat(SEEN.keySet()).containsExactlyInAnyOrder(Outcome.values());
      assertThat(refused).as("reports of zombies that were refused").isPositive();
      assertThat(repeated).as("turns sent again").isPositive();
      assertThat(blocked).as("times at which a limit was full").isPositive();
    }
  }
}
