package dev.monotick.server.schedule;

import dev.monotick.Monotick;
import dev.monotick.job.Jobs;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.ScheduleSettings;
import dev.monotick.server.setting.Settings;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.QuotaUse;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.server.trace.Tracing;
import dev.monotick.task.Backoff;
import dev.monotick.task.CatchUp;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The loops of schedules, as tasks of the engine. */
@Configuration(proxyBeanMethods = false)
class ScheduleConfiguration {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  @Bean
  Firing.Aftermath aftermath(Jobs jobs, AuditTrail audit, Tracing tracing) {
    return new Firing.Aftermath(jobs, audit, tracing);
  }

  @Bean
  ScheduleEdits.Guards scheduleGuards(Quotas quotas, AuditTrail audit) {
    return new ScheduleEdits.Guards(quotas, audit);
  }

  @Bean
  ScheduleActions.Surroundings scheduleSurroundings(
      ScheduleEdits.Guards guards, Firing.Aftermath aftermath, ObjectProvider<Monotick> engine) {
    return new ScheduleActions.Surroundings(guards, aftermath, engine);
  }

  @Bean
  ScheduleActionController.After scheduleAfter(FiringLoop loop, Jobs jobs, Settings settings) {
    return new ScheduleActionController.After(loop, jobs, settings);
  }

  /** On every replica: each claims other rows, and none needs the others. */
  @Bean
  Task scheduleFiring(FiringLoop loop, Settings settings) {
    return Task.named(FiringLoop.TASK)
        .every(settings.get(ScheduleSettings.INTERVAL))
        .mode(HaMode.SHARED)
        .timeout(LONGEST)
        .catchUp(CatchUp.none())
        .backoff(Backoff.none())
        .run(context -> loop.turn());
  }

  @Bean
  Task scheduleSettling(
      Settling settling,
      QueuedTicks queued,
      DelayedSchedules delayed,
      FiringLoop loop,
      Settings settings) {
    return Task.named("schedule-settling")
        .every(settings.get(ScheduleSettings.SETTLE_INTERVAL))
        .mode(HaMode.SHARED)
        .timeout(LONGEST)
        .catchUp(CatchUp.none())
        .backoff(Backoff.none())
        .run(
            context -> {
              settling.settle();
              queued.release(context.replica());
              if (delayed.giveTimes() > 0) {
                loop.lookNow();
              }
            });
  }

  @Bean
  Task scheduleRetention(TickRetention retention, Settings settings) {
    return Task.named("schedule-retention")
        .every(settings.get(ScheduleSettings.RETENTION_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .timeout(Duration.ofMinutes(5))
        .run(context -> retention.run());
  }

  @Bean
  QuotaUse scheduleUse(Sql sql) {
    return new QuotaUse() {
      @Override
      public Quota quota() {
        return Quota.SCHEDULES;
      }

      @Override
      public long used(String tenant) {
        return sql.of("select count(*) from @schedule where tenant = :tenant")
            .param("tenant", tenant)
            .query(Long.class)
            .single();
      }
    };
  }
}
