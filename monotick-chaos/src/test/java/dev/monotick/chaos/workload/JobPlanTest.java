package dev.monotick.chaos.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class JobPlanTest {

  @Test
  void planIsTheSameAfterItWasWrittenAndRead() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      JobPlan plan = JobPlan.random(random, 1_000);

      assertThat(JobPlan.parse(plan.text())).isEqualTo(plan);
    }
  }

  @Test
  void planTakesAsManyAttemptsAsItSays() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 1_000; i++) {
      JobPlan plan = JobPlan.random(random, 1_000);
      int attempt = 1;
      while (attempt < JobPlan.MOST_ATTEMPTS && goesOn(plan.step(attempt, 2))) {
        attempt++;
      }

      assertThat(attempt).as(plan.text()).isEqualTo(plan.attempts());
      assertThat(plan.step(attempt, 2) == JobPlan.Step.SUCCEED)
          .as(plan.text())
          .isEqualTo(plan.succeeds());
    }
  }

  private static boolean goesOn(JobPlan.Step step) {
    return step == JobPlan.Step.THROW || step == JobPlan.Step.FAIL;
  }
}
