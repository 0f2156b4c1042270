package dev.monotick.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.proof.Explorer.Exploration;
import dev.monotick.proof.Explorer.Step;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExplorerTest {

  @Test
  void everyStateIsReachedOnce() {
    Exploration found = upTo(10).explore(1, (state, steps) -> true);
    assertThat(found).isEqualTo(new Exploration(10, false, List.of(), false));
  }

  @Test
  void violationIsFoundByShortestWay() {
    Exploration found = upTo(10).explore(1, (state, steps) -> state != 7);
    assertThat(found.isViolated()).isTrue();
    assertThat(found.steps()).containsExactly("add one", "add one", "double", "add one");
  }

  @Test
  void stateWithoutNextStepIsSeen() {
    Exploration found = upTo(10).explore(1, (state, steps) -> !steps.isEmpty());
    assertThat(found.steps()).hasSize(4);
  }

  @Test
  void cycleIsFound() {
    assertThat(around(0).explore(0, (state, steps) -> true).hasCycle()).isTrue();
    assertThat(around(2).explore(0, (state, steps) -> true).hasCycle()).isTrue();
  }

  private static Explorer<Integer> upTo(int most) {
    return new Explorer<>(
        state ->
            Stream.of(new Step<>(state + 1, () -> "add one"), new Step<>(state * 2, () -> "double"))
                .filter(step -> step.after() <= most)
                .toList());
  }

  private static Explorer<Integer> around(int back) {
    return new Explorer<>(state -> List.of(new Step<>(state == 4 ? back : state + 1, () -> "go")));
  }
}
