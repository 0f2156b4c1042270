package dev.monotick.server.health;

import dev.monotick.job.JobCount;
import dev.monotick.server.audit.AuditHealth;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Figures that are the installation's and not one replica's: every replica has them, so take the
 * greatest of them, not the sum. {@code monotick_jobs_ready} by queue is what to scale by.
 */
@Configuration(proxyBeanMethods = false)
class ServerMetrics {

  private final MultiGauge ready;
  private final MultiGauge running;
  private final MultiGauge waiting;
  private final MultiGauge dead;
  private final AtomicLong oldestMillis = new AtomicLong();
  private final AtomicLong unverified = new AtomicLong();

  ServerMetrics(MeterRegistry registry, AuditHealth audit) {
    ready = jobs(registry, "monotick.jobs.ready", "jobs that wait for a replica");
    running = jobs(registry, "monotick.jobs.running", "jobs that run");
    waiting = jobs(registry, "monotick.jobs.waiting", "jobs that wait for their time or approval");
    dead = jobs(registry, "monotick.jobs.dead", "dead letters");
    gauge(
        registry,
        "monotick.jobs.oldest.ready.seconds",
        "how long the job that waits longest for a replica has been ready",
        () -> oldestMillis.get() / 1000.0);
    gauge(
        registry,
        "monotick.audit.unverified",
        "audit events that are not verified yet",
        unverified::get);
    gauge(
        registry,
        "monotick.audit.dropped",
        "what this replica could not put on record",
        audit::dropped);
    gauge(
        registry,
        "monotick.audit.broken",
        "chains that this replica found to be broken",
        () -> audit.broken().size());
  }

  private static MultiGauge jobs(MeterRegistry registry, String name, String description) {
    return MultiGauge.builder(name).description(description).register(registry);
  }

  private static void gauge(
      MeterRegistry registry,
      String name,
      String description,
      java.util.function.Supplier<Number> value) {
    Gauge unused = Gauge.builder(name, value).description(description).register(registry);
  }

  @Bean
  Task metricsTask(
      BacklogWatch backlog,
      LeaderWatch leaders,
      AuditHealth audit,
      QuotaMetrics quotas,
      ServerSettings settings) {
    return Task.named("metrics")
        .fixedDelay(settings.get(PlatformSettings.METRICS_INTERVAL))
        .mode(HaMode.EVERY_REPLICA)
        .run(
            context -> {
              leaders.poll();
              show(backlog.poll());
              unverified.set(audit.unverified());
              quotas.poll();
            });
  }

  private void show(BacklogWatch.Seen seen) {
    show(ready, seen.counts(), JobCount::ready);
    show(running, seen.counts(), JobCount::running);
    show(waiting, seen.counts(), JobCount::waiting);
    show(dead, seen.counts(), JobCount::dead);
    oldestMillis.set(seen.report().oldestReady().map(Duration::toMillis).orElse(0L));
  }

  private static void show(
      MultiGauge gauge, List<JobCount> counts, ToLongFunction<JobCount> value) {
    Map<String, Long> byQueue =
        counts.stream()
            .collect(
                Collectors.groupingBy(
                    each -> each.lane().queue(), TreeMap::new, Collectors.summingLong(value)));
    gauge.register(
        byQueue.entrySet().stream()
            .<MultiGauge.Row<?>>map(
                each -> MultiGauge.Row.of(Tags.of("queue", each.getKey()), each.getValue()))
            .toList(),
        true);
  }
}
