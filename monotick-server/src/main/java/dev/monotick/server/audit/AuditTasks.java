package dev.monotick.server.audit;

import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.task.TaskContext;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is done about the audit again and again. */
@Configuration(proxyBeanMethods = false)
class AuditTasks {

  private static final Logger log = LoggerFactory.getLogger(AuditTasks.class);
  private static final int BATCH = 5_000;

  @Bean
  Task auditVerification(AuditVerifier verifier, ServerSettings settings) {
    return Task.named("audit-verification")
        .every(settings.get(PlatformSettings.AUDIT_VERIFICATION_INTERVAL))
        .mode(HaMode.LEADER)
        .timeout(Duration.ofMinutes(10))
        .run(context -> verify(verifier, verifier.unverified(), false, context));
  }

  /** What was verified once may have been changed since. */
  @Bean
  Task auditFullVerification(AuditVerifier verifier, ServerSettings settings) {
    return Task.named("audit-full-verification")
        .every(settings.get(PlatformSettings.AUDIT_FULL_VERIFICATION_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .timeout(Duration.ofHours(1))
        .run(context -> verify(verifier, verifier.all(), true, context));
  }

  private static void verify(
      AuditVerifier verifier, List<String> tenants, boolean fromStart, TaskContext context)
      throws InterruptedException {
    for (String tenant : tenants) {
      context.checkCancelled();
      verifier.verify(tenant, fromStart);
    }
  }

  @Bean
  Task auditRetentionTask(AuditRetention retention, ServerSettings settings) {
    Duration older = settings.get(PlatformSettings.AUDIT_RETENTION);
    return Task.named("audit-retention")
        .every(settings.get(PlatformSettings.AUDIT_RETENTION_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .timeout(Duration.ofMinutes(10))
        .run(
            context -> {
              long removed = retention.remove(older, BATCH);
              if (removed > 0) {
                log.info("audit events removed count={} older={}", removed, older);
              }
            });
  }

  @Bean
  Task engineAuditTask(EngineAudit audit, ServerSettings settings) {
    return Task.named("engine-audit")
        .fixedDelay(settings.get(PlatformSettings.AUDIT_ENGINE_INTERVAL))
        .mode(HaMode.EVERY_REPLICA)
        .run(context -> audit.flush());
  }
}
