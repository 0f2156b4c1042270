package dev.monotick.server.health;

import dev.monotick.Monotick;
import dev.monotick.server.audit.AuditHealth;
import dev.monotick.server.engine.CompletionHealth;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.metric.MetricSink.Completion;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The parts of {@code /health/scheduler}; each is named after what may be wrong. */
@Configuration(proxyBeanMethods = false)
class SchedulerHealth {

  /** No leader for n seconds. */
  @Bean
  HealthIndicator leadershipHealthIndicator(LeaderWatch watch, ServerSettings settings) {
    Duration longest = settings.get(PlatformSettings.HEALTH_LEADERLESS);
    return () -> {
      Map<String, Duration> leaderless = watch.leaderless();
      boolean well = leaderless.values().stream().noneMatch(each -> each.compareTo(longest) > 0);
      Health.Builder health = well ? Health.up() : Health.down();
      leaderless.forEach(
          (group, since) -> health.withDetail(group, "no leader for " + since.toSeconds() + " s"));
      return health.build();
    };
  }

  /** A task that is late, and is neither paused, backing off nor running. */
  @Bean
  HealthIndicator tasksHealthIndicator(
      Monotick monotick, TimeSource time, ServerSettings settings) {
    Duration latest = settings.get(PlatformSettings.HEALTH_LATE);
    return () -> {
      Map<String, String> late = late(monotick.tasks(), time.now(), latest);
      return (late.isEmpty() ? Health.up() : Health.down()).withDetails(late).build();
    };
  }

  static Map<String, String> late(List<TaskStatus> tasks, Instant now, Duration latest) {
    Map<String, String> late = new TreeMap<>();
    for (TaskStatus task : tasks) {
      Instant next = task.next();
      if (next != null
          && task.running() == 0
          && task.paused() == null
          && task.backoffUntil() == null) {
        Duration by = Duration.between(next, now);
        if (by.compareTo(latest) > 0) {
          late.put(task.name(), "task late by " + by.toSeconds() + " s");
        }
      }
    }
    return late;
  }

  /** Jobs that are ready while nothing runs, and who keeps the tables from being cleaned. */
  @Bean
  HealthIndicator jobsHealthIndicator(
      BacklogWatch watch, TimeSource time, ServerSettings settings) {
    Duration latest = settings.get(PlatformSettings.HEALTH_LATE);
    Duration oldest = settings.get(PlatformSettings.METRICS_INTERVAL).multipliedBy(3).plus(latest);
    return () ->
        watch
            .last()
            .map(
                seen -> {
                  Duration age = Duration.ofNanos(time.nanos() - seen.at());
                  return age.compareTo(oldest) > 0
                      ? Health.down()
                          .withDetail("jobs", "not checked for " + age.toSeconds() + " s")
                          .build()
                      : jobs(seen, latest);
                })
            .orElseGet(() -> Health.unknown().withDetail("jobs", "not checked yet").build());
  }

  static Health jobs(BacklogWatch.Seen seen, Duration latest) {
    Duration oldest = seen.report().oldestReady().orElse(Duration.ZERO);
    boolean idle = seen.ready() > 0 && seen.running() == 0 && oldest.compareTo(latest) > 0;
    Health.Builder health =
        (idle ? Health.down() : seen.unhandled().isEmpty() ? Health.up() : degraded())
            .withDetail("ready", seen.ready())
            .withDetail("running", seen.running())
            .withDetail("oldestReadySeconds", oldest.toSeconds());
    if (idle) {
      health.withDetail("idle", "enabled but idle: jobs are ready and nothing runs");
    }
    seen.unhandled()
        .forEach(
            (kind, jobs) ->
                health.withDetail(
                    "unhandled." + kind,
                    jobs
                        + " jobs wait and no live replica handles kind "
                        + kind
                        + "; start one that does, or cancel them"));
    seen.report().holders().stream()
        .findFirst()
        .ifPresent(
            holder ->
                health.withDetail(
                    "oldestSnapshot",
                    holder.kind()
                        + " "
                        + holder.name()
                        + " ("
                        + holder.detail()
                        + "), "
                        + holder.transactions()
                        + " transactions ago"));
    return health.build();
  }

  /** Nothing is broken here, but an operator should look at it. */
  private static Health.Builder degraded() {
    return Health.status("DEGRADED");
  }

  /** Stored schedules that are due and that nobody fires. */
  @Bean
  HealthIndicator schedulesHealthIndicator(LatenessWatch watch) {
    return () -> {
      LatenessWatch.Late late = watch.last();
      return late.schedules() == 0
          ? Health.up().build()
          : Health.down()
              .withDetail(
                  "late",
                  late.schedules()
                      + " schedules, the first by "
                      + late.longest().toSeconds()
                      + " s; GET /v1/tasks says whether schedule-firing is paused or fails")
              .build();
    };
  }

  /** Looks on every replica, since every replica says how it is. */
  @Bean
  Task latenessWatchTask(LatenessWatch watch, ServerSettings settings) {
    return Task.named("lateness-watch")
        .fixedDelay(settings.get(PlatformSettings.METRICS_INTERVAL))
        .mode(HaMode.EVERY_REPLICA)
        .run(context -> watch.poll());
  }

  /** More dead letters than is good: nothing is broken here, but somebody should look at them. */
  @Bean
  HealthIndicator deadLettersHealthIndicator(DeadLetterWatch watch) {
    return () -> {
      Map<String, DeadLetterWatch.High> high = watch.high();
      Health.Builder health = high.isEmpty() ? Health.up() : Health.status("DEGRADED");
      high.forEach(
          (tenant, each) ->
              health.withDetail(
                  tenant,
                  each.letters()
                      + " dead letters, more than "
                      + watch.limit()
                      + " since "
                      + each.since()
                      + "; see why by GET /v1/dead-letters, then requeue or purge them"));
      return health.build();
    };
  }

  /** Looks on every replica, since every replica says how it is. */
  @Bean
  Task deadLetterWatchTask(DeadLetterWatch watch, ServerSettings settings) {
    return Task.named("dead-letter-watch")
        .fixedDelay(settings.get(PlatformSettings.METRICS_INTERVAL))
        .mode(HaMode.EVERY_REPLICA)
        .run(context -> watch.poll());
  }

  /** Work that is done and that the store does not let this replica record. */
  @Bean
  HealthIndicator completionsHealthIndicator(CompletionHealth refused) {
    return () -> {
      Map<Completion, CompletionHealth.Refused> now = refused.now();
      Health.Builder health = now.isEmpty() ? Health.up() : Health.down();
      now.forEach(
          (of, each) ->
              health.withDetail(
                  of == Completion.JOB ? "jobs" : "ticks",
                  each.count()
                      + " completions refused by the store since "
                      + each.since()
                      + "; they are kept and sent again; the log of this replica has the database's"
                      + " error, often a missing privilege"));
      return health.build();
    };
  }

  /** A chain that was changed. */
  @Bean
  HealthIndicator auditHealthIndicator(AuditHealth audit) {
    return () -> {
      Map<String, String> broken = audit.broken();
      return (broken.isEmpty() ? Health.up() : Health.down()).withDetails(broken).build();
    };
  }
}
