package dev.monotick.server.schedule;

import dev.monotick.Monotick;
import dev.monotick.job.Jobs;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.schedule.fire.DelayedSchedules;
import dev.monotick.server.schedule.fire.FiringLoop;
import dev.monotick.server.schedule.fire.QueuedTicks;
import dev.monotick.server.schedule.fire.ScheduleFirer;
import dev.monotick.server.schedule.fire.TickReconciler;
import dev.monotick.server.schedule.fire.TickRetention;
import dev.monotick.server.setting.ScheduleSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.QuotaUse;
import dev.monotick.server.tenant.Quotas;
import dev.monotick.server.trace.Tracing;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.work.Backoff;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The loops of schedules, as tasks of the engine. */
@Configuration(proxyBeanMethods = false)
class ScheduleConfiguration {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  @Bean
  ScheduleFirer.FiringEffects firingEffects(Jobs jobs, AuditTrail audit, Tracing tracing) {
    return new ScheduleFirer.FiringEffects(jobs, audit, tracing);
  }

  @Bean
  ScheduleEdits.EditChecks scheduleGuards(Quotas quotas, AuditTrail audit) {
    return new ScheduleEdits.EditChecks(quotas, audit);
  }

  @Bean
  ScheduleActions.ActionContext scheduleActionContext(
      ScheduleEdits.EditChecks guards,
      ScheduleFirer.FiringEffects aftermath,
      ObjectProvider<Monotick> engine) {
    return new ScheduleActions.ActionContext(guards, aftermath, engine);
  }

  @Bean
  ScheduleActionController.After scheduleAfter(
      FiringLoop loop, Jobs jobs, ServerSettings settings) {
    return new ScheduleActionController.After(loop, jobs, settings);
  }

  /** On every replica: each claims other rows, and none needs the others. */
  @Bean
  Task scheduleFiring(FiringLoop loop, ServerSettings settings) {
    return Task.named(FiringLoop.TASK)
        .every(settings.get(ScheduleSettings.INTERVAL))
        .mode(HaMode.SHARED)
        .timeout(LONGEST)
        .catchUp(CatchUp.none())
        .backoff(Backoff.none())
        .run(context -> loop.runOnce());
  }

  @Bean
  Task tickReconciliation(
      TickReconciler reconciler,
      QueuedTicks queued,
      DelayedSchedules delayed,
      FiringLoop loop,
      ServerSettings settings) {
    return Task.named("schedule-reconcile")
        .every(settings.get(ScheduleSettings.RECONCILE_INTERVAL))
        .mode(HaMode.SHARED)
        .timeout(LONGEST)
        .catchUp(CatchUp.none())
        .backoff(Backoff.none())
        .run(
            context -> {
              reconciler.reconcile();
              queued.release(context.replica());
              if (delayed.giveTimes() > 0) {
                loop.pollNow();
              }
            });
  }

  @Bean
  Task scheduleRetention(TickRetention retention, ServerSettings settings) {
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
