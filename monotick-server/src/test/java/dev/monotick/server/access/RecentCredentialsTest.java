package dev.monotick.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.access.RecentCredentials.CredentialAge;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RecentCredentialsTest {

  private long nanos;
  private final RecentCredentials proven =
      new RecentCredentials(new TimeSource(() -> Instant.EPOCH, () -> nanos));

  @Test
  void whatWasRightIsKnownForAnHourAndLongerIfItIsUsed() {
    assertThat(proven.of("mt_a_b")).isEqualTo(CredentialAge.UNKNOWN);
    proven.add("mt_a_b");
    assertThat(proven.of("mt_a_b")).isEqualTo(CredentialAge.FRESH);
    assertThat(proven.of("mt_a_c")).isEqualTo(CredentialAge.UNKNOWN);

    pass(Duration.ofMinutes(40));
    assertThat(proven.of("mt_a_b")).isEqualTo(CredentialAge.OLD);
    proven.add("mt_a_b");
    pass(Duration.ofMinutes(40));
    assertThat(proven.of("mt_a_b")).as("it was used meanwhile").isEqualTo(CredentialAge.OLD);

    pass(Duration.ofMinutes(20));
    assertThat(proven.of("mt_a_b")).isEqualTo(CredentialAge.UNKNOWN);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }
}
