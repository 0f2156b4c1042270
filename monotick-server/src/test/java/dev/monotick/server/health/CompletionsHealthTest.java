package dev.monotick.server.health;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.server.engine.CompletionHealth;
import dev.monotick.spi.metric.MetricSink.Completion;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** Work that is done and cannot be recorded makes a replica unhealthy, and says so. */
class CompletionsHealthTest {

  private final CompletionHealth refused = new CompletionHealth();
  private final HealthIndicator indicator =
      new SchedulerHealth().completionsHealthIndicator(refused);

  @Test
  void refusedCompletionsAreCountedUntilTheyAreRecorded() {
    assertThat(health().getStatus()).isEqualTo(Status.UP);
    refused.changed(Completion.JOB, 3, Instant.parse("2030-01-01T00:00:00Z"));
    assertThat(health().getStatus()).isEqualTo(Status.DOWN);
    assertThat(health().getDetails()).containsOnlyKeys("jobs");
    assertThat(String.valueOf(health().getDetails().get("jobs")))
        .startsWith("3 completions refused by the store since 2030-01-01T00:00:00Z");
    refused.changed(Completion.JOB, 0, null);
    assertThat(health().getStatus()).isEqualTo(Status.UP);
  }

  private Health health() {
    return requireNonNull(indicator.health());
  }
}
