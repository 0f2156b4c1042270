package dev.monotick.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.job.Enqueued;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.memory.InMemoryStore;
import dev.monotick.server.trace.Tracing;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What is logged while a job runs says which. */
class JobHandlingTest {

  @Test
  void logLinesOfAJobNameItAndItsTenant() throws Exception {
    CompletableFuture<Map<String, String>> seen = new CompletableFuture<>();
    JobKind<String> kind = JobKind.named("logged", String.class);
    MonotickBuilder builder = Monotick.builder().store(InMemoryStore.create());
    new JobHandling<>(
            kind,
            job -> {
              seen.complete(Map.copyOf(MDC.getCopyOfContextMap()));
              return JobOutcome.done();
            })
        .addTo(builder, Tracing.OFF);
    Monotick monotick = builder.build();
    monotick.start();
    try {
      Enqueued added = monotick.jobs().enqueue(kind.of("x").tenant("acme"));
      assertThat(seen.get(10, TimeUnit.SECONDS))
          .containsEntry("tenant", "acme")
          .containsEntry("job", added.id().toString());
    } finally {
      monotick.stop(Duration.ofSeconds(1));
    }
  }
}
