package dev.monotick.server.statistics;

import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.tenant.TenantCleanup;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is done about statistics again and again, and when a tenant goes. */
@Configuration(proxyBeanMethods = false)
class StatisticsTasks {

  private static final int BATCH = 5_000;

  @Bean
  Task statisticsRollUp(RollUp rollUp, Sql sql, ServerSettings settings) {
    return Task.named("statistics-roll-up")
        .every(settings.get(JobSettings.STATISTICS_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .timeout(Duration.ofMinutes(10))
        .run(
            context -> {
              rollUp.tidy();
              while (rollUp.step()) {
                context.checkCancelled();
              }
              for (SumResolution each : SumResolution.values()) {
                forget(sql, each, settings.get(each.kept()));
              }
            });
  }

  private static void forget(Sql sql, SumResolution resolution, Duration kept) {
    int removed;
    do {
      removed =
          sql.of(
                  """
                  delete from @job_statistic where ctid = any (array(
                    select ctid from @job_statistic
                     where resolution = :resolution
                       and at < now() - :seconds * interval '1 second'
                     order by at limit :batch))
                  """)
              .param("resolution", resolution.name())
              .param("seconds", kept.plus(resolution.length()).toSeconds())
              .param("batch", BATCH)
              .update();
    } while (removed == BATCH);
  }

  /** Nobody counts while the row of progress is locked, so nothing comes after. */
  @Bean
  TenantCleanup statisticsCleanup(Sql sql) {
    return tenant -> {
      sql.of("select low from @statistics_progress where one for update")
          .query((row, number) -> row.getLong(1))
          .single();
      sql.of("delete from @job_statistic where tenant = :tenant").param("tenant", tenant).update();
    };
  }
}
