package dev.monotick.chaos.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StormOptionsTest {

  @Test
  void asksForTwoHundredThousandJobsOnThreeWorkersUnlessToldOtherwise() throws Exception {
    assertThat(StormOptions.parse(42).settings())
        .isEqualTo(new StormSettings(200_000, 3, 42, true));
  }

  @Test
  void takesWhatIsGiven() throws Exception {
    assertThat(
            StormOptions.parse(
                    42, "--jobs", "2000", "--workers", "4", "--seed", "7", "--no-packet-loss")
                .settings())
        .isEqualTo(new StormSettings(2_000, 4, 7, false));
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> StormOptions.parse(42, "--workers", "1"))
        .hasMessage("--workers must be a number from 2 to 20, but was \"1\"");
    assertThatThrownBy(() -> StormOptions.parse(42, "--jobs")).hasMessage("--jobs needs a value");
    assertThatThrownBy(() -> StormOptions.parse(42, "--job", "3"))
        .hasMessageStartingWith("unknown option \"--job\"");
  }
}
