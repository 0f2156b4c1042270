package dev.monotick.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitTimesTest {

  @Test
  void waitsAreFromTheCallToTheStart() {
    WaitTimes waits = WaitTimes.of("0:1000:2000,1:51000:53000,2:101000:102000", "1:52500,0:4000");
    assertThat(waits.sinceReturn().sorted()).containsExactly(-0.5, 2);
    assertThat(waits.sinceCall().sorted()).containsExactly(1.5, 3);
    assertThat(waits.calls().sorted()).containsExactly(1, 1, 2);
    assertThat(waits.missing()).isEqualTo(1);
  }

  @Test
  void nothingStartedIsAllMissing() {
    assertThat(WaitTimes.of("0:1000:2000", "").missing()).isEqualTo(1);
  }
}
