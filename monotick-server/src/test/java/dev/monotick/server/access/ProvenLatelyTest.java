package dev.monotick.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.access.ProvenLately.Standing;
import dev.monotick.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProvenLatelyTest {

  private long nanos;
  private final ProvenLately proven =
      new ProvenLately(new TimeSource(() -> Instant.EPOCH, () -> nanos));

  @Test
  void whatWasRightIsKnownForAnHourAndLongerIfItIsUsed() {
    assertThat(proven.of("mt_a_b")).isEqualTo(Standing.UNKNOWN);
    proven.add("mt_a_b");
    assertThat(proven.of("mt_a_b")).isEqualTo(Standing.FRESH);
    assertThat(proven.of("mt_a_c")).isEqualTo(Standing.UNKNOWN);

    pass(Duration.ofMinutes(40));
    assertThat(proven.of("mt_a_b")).isEqualTo(Standing.OLD);
    proven.add("mt_a_b");
    pass(Duration.ofMinutes(40));
    assertThat(proven.of("mt_a_b")).as("it was used meanwhile").isEqualTo(Standing.OLD);

    pass(Duration.ofMinutes(20));
    assertThat(proven.of("mt_a_b")).isEqualTo(Standing.UNKNOWN);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }
}
