package dev.monotick.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobCount;
import dev.monotick.job.JobKind;
import dev.monotick.job.Jobs;
import dev.monotick.job.Lane;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.postgres.job.view.QueueHealth;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** What the server says of itself. */
@Tag("thorough")
class HealthTest {

  @TempDir Path folder;

  @Test
  void aReplicaIsNotReadyWithoutItsDatabaseAndWhileItStops() {
    EmbeddedPostgres database =
        EmbeddedPostgres.builder().folder(folder.resolve("postgres")).start();
    try (Installation installation =
        Installation.create()
            .with("monotick.database.url", database.url())
            .with("monotick.database.username", database.user())
            .with("monotick.database.password", database.password())
            .with("monotick.shutdown.announce", "3s")
            .with("monotick.shutdown.grace", "1s")
            .with("monotick.health.late", "2s")
            .with("monotick.metrics.interval", "1s")) {
      Api first = installation.start().as(null);
      Api second = installation.start().as(null);
      assertThat(first.get("/health/live").status()).isEqualTo(200);
      assertThat(first.get("/health/ready").status()).isEqualTo(200);
      assertThat(first.get("/health/scheduler").body().path("components").isMissingNode())
          .as("nobody sees details")
          .isTrue();
      Eventually.until(
          "jobs were looked at",
          () ->
              installation
                  .api()
                  .get("/health/scheduler")
                  .body()
                  .at("/components/jobs/details/ready")
                  .isNumber());

      CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> installation.stop(1));
      Eventually.until("it says that it stops", () -> second.get("/health/ready").status() == 503);
      assertThat(second.get("/health/live").status()).as("but it lives").isEqualTo(200);
      assertThat(installation.api(1).get("/v1/audit").status()).as("and serves").isEqualTo(200);
      stopped.join();

      database.close();
      Eventually.until("it is not ready", () -> first.get("/health/ready").status() == 503);
      assertThat(first.get("/health/live").status()).isEqualTo(200);
      Eventually.until(
          "the scheduler is not well", () -> first.get("/health/scheduler").status() == 503);
      assertThat(installation.api().get("/v1/audit").status()).isEqualTo(503);
    } finally {
      database.close();
    }
  }

  private static TaskStatus task(@Nullable Instant next, int running, @Nullable String paused) {
    return new TaskStatus(
        Task.named("t").every(Duration.ofSeconds(1)).mode(HaMode.LEADER).run(context -> {}),
        0,
        next,
        running,
        null,
        paused,
        new TaskStatus.Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, null),
        List.of(),
        null);
  }

  @Test
  void aTaskIsLateUnlessThereIsAReason() {
    Instant now = Instant.parse("2026-01-01T00:01:00Z");
    Instant due = now.minusSeconds(30);
    Duration latest = Duration.ofSeconds(20);
    assertThat(SchedulerHealth.late(List.of(task(due, 0, null)), now, latest))
        .containsEntry("t", "task late by 30 s");
    assertThat(SchedulerHealth.late(List.of(task(due, 1, null)), now, latest)).isEmpty();
    assertThat(SchedulerHealth.late(List.of(task(due, 0, "for now")), now, latest)).isEmpty();
    assertThat(SchedulerHealth.late(List.of(task(null, 0, null)), now, latest)).isEmpty();
    assertThat(SchedulerHealth.late(List.of(task(due, 0, null)), now, Duration.ofSeconds(40)))
        .isEmpty();
  }

  private static BacklogWatch.Seen seen(long ready, long running, Duration oldest) {
    return new BacklogWatch.Seen(
        List.of(new JobCount(new Lane("q", "k", "t", 5), 0, ready, running, 0, 0, 0, 0)),
        new QueueHealth.Report(
            List.of(
                new QueueHealth.Holder(
                    QueueHealth.Kind.SESSION, "123", "psql", 5_000_000, Optional.empty())),
            List.of(),
            Optional.of(oldest)),
        0,
        Map.of());
  }

  @Test
  void jobsOfAKindThatNoReplicaHandlesAreShown() {
    BacklogWatch.Seen all = seen(2, 1, Duration.ZERO);
    Health health =
        SchedulerHealth.jobs(
            new BacklogWatch.Seen(all.counts(), all.report(), 0, Map.of("fax", 2L)),
            Duration.ofSeconds(20));
    assertThat(health.getStatus()).isEqualTo(new Status("DEGRADED"));
    assertThat(health.getDetails())
        .containsEntry(
            "unhandled.fax",
            "2 jobs wait and no live replica handles kind fax; start one that does, or cancel"
                + " them");
  }

  @Test
  void jobsOfAnUnknownKindAreFoundInTheStore() {
    try (Installation installation = Installation.started()) {
      Jobs jobs = installation.bean(0, Jobs.class);
      jobs.enqueue(JobKind.named("fax", String.class).of("a"));
      assertThat(installation.bean(0, BacklogWatch.class).poll().unhandled())
          .isEqualTo(Map.of("fax", 1L));
    }
  }

  @Test
  void jobsThatNobodyRunsAreNotWell() {
    Duration latest = Duration.ofMinutes(1);
    Duration old = Duration.ofMinutes(2);
    assertThat(SchedulerHealth.jobs(seen(3, 0, old), latest).getStatus()).isEqualTo(Status.DOWN);
    assertThat(SchedulerHealth.jobs(seen(3, 0, old), latest).getDetails())
        .containsKey("idle")
        .containsEntry("oldestSnapshot", "SESSION 123 (psql), 5000000 transactions ago");
    assertThat(SchedulerHealth.jobs(seen(3, 1, old), latest).getStatus()).isEqualTo(Status.UP);
    assertThat(SchedulerHealth.jobs(seen(3, 0, latest), latest).getStatus()).isEqualTo(Status.UP);
    assertThat(SchedulerHealth.jobs(seen(0, 0, old), latest).getStatus()).isEqualTo(Status.UP);
  }
}
