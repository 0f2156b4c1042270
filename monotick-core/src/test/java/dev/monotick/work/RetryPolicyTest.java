package dev.monotick.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.monotick.job.JobRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

  private static final double NO_JITTER = 0.5;

  @Test
  void exponentialDelayDoublesUpToItsCap() {
    RetryPolicy policy = RetryPolicy.exponential(Duration.ofSeconds(3), Duration.ofSeconds(20));
    List<Long> seconds = new ArrayList<>();
    for (int attempt = 1; attempt <= 5; attempt++) {
      seconds.add(after(policy, attempt, NO_JITTER).toSeconds());
    }
    assertThat(seconds).containsExactly(3L, 6L, 12L, 20L, 20L);
    assertThat(after(policy, JobRules.MOST_ATTEMPTS, NO_JITTER)).isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  void smallestDelayGrowsToTheGreatestCap() {
    RetryPolicy policy = RetryPolicy.exponential(Duration.ofNanos(1), RetryPolicy.LONGEST);
    Duration before = Duration.ZERO;
    for (int attempt = 1; attempt <= JobRules.MOST_ATTEMPTS; attempt++) {
      Duration delay = after(policy, attempt, NO_JITTER);
      assertThat(delay).isBetween(before, RetryPolicy.LONGEST);
      before = delay;
    }
  }

  @Test
  void jitterIsATenthToBothSides() {
    RetryPolicy doubling = RetryPolicy.exponential(Duration.ofSeconds(10), Duration.ofHours(1));
    RetryPolicy same = RetryPolicy.fixed(Duration.ofSeconds(20));
    for (RetryPolicy policy : List.of(doubling, same)) {
      assertThat(after(policy, 2, 0)).isEqualTo(Duration.ofSeconds(18));
      assertThat(after(policy, 2, NO_JITTER)).isEqualTo(Duration.ofSeconds(20));
      assertThat(after(policy, 2, 1)).isEqualTo(Duration.ofSeconds(22));
    }
  }

  @Test
  void jitterMakesNoDelayTooLong() {
    assertThat(after(RetryPolicy.fixed(RetryPolicy.LONGEST), 1, 1)).isEqualTo(RetryPolicy.LONGEST);
  }

  @Test
  void defaultBeginsWithASecondAndEndsWithAnHour() {
    assertThat(after(RetryPolicy.ofDefaults(), 1, NO_JITTER)).isEqualTo(Duration.ofSeconds(1));
    assertThat(after(RetryPolicy.ofDefaults(), 1_000, NO_JITTER)).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void customDelayIsAskedWithAttemptAndJitter() {
    RetryPolicy policy =
        RetryPolicy.custom((attempt, random) -> Duration.ofMillis((long) (attempt * 100 * random)));
    assertThat(after(policy, 3, 0.25)).isEqualTo(Duration.ofMillis(75));
  }

  @Test
  void delaysThatCannotBeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryPolicy.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .withMessage("first must be longer than PT0S and at most PT1S, but was PT2S");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofSeconds(Long.MAX_VALUE)))
        .withMessageStartingWith("cap must be longer than PT0S and at most PT8784H, but was");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RetryPolicy.fixed(Duration.ZERO))
        .withMessage("delay must be longer than PT0S and at most PT8784H, but was PT0S");
  }

  private static Duration after(RetryPolicy policy, int attempt, double random) {
    return policy.delays().after(attempt, random);
  }
}
