package dev.monotick.server.web;

import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Forgets answers that nobody will ask for again. */
@Configuration(proxyBeanMethods = false)
class IdempotencyCleanup {

  private static final int BATCH = 5_000;

  @Bean
  Task idempotencyCleanupTask(Sql sql, ServerSettings settings) {
    Duration older = settings.get(PlatformSettings.IDEMPOTENCY_RETENTION);
    return Task.named("idempotency-cleanup")
        .every(settings.get(PlatformSettings.IDEMPOTENCY_CLEANUP_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .run(
            context -> {
              for (int removed = BATCH; removed == BATCH; removed = remove(sql, older)) {
                context.checkCancelled();
              }
            });
  }

  private static int remove(Sql sql, Duration older) {
    return sql.of(
            """
            delete from @idempotency where ctid = any (array(
              select ctid from @idempotency where created_at < now() - cast(:older as interval)
               limit 5000 for update skip locked))
            """)
        .param("older", older.toSeconds() + " seconds")
        .update();
  }
}
