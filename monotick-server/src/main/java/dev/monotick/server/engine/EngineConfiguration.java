package dev.monotick.server.engine;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.job.Jobs;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.server.setting.ReplicaName;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingCatalog;
import dev.monotick.server.trace.Tracing;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.Task;
import java.util.List;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The engine of this replica, with all tasks and handlers that are beans. */
@Configuration(proxyBeanMethods = false)
class EngineConfiguration {

  @Bean
  TimeSource time() {
    return TimeSource.system();
  }

  /** For those who add and look at jobs; the engine below is what runs them. */
  @Bean
  Jobs jobs(PostgresStore store) {
    return Monotick.jobs(store);
  }

  /**
   * What the engine is to do.
   *
   * @param tasks all tasks that are beans
   * @param handlings all handlers that are
   * @param tracing who is told of their runs
   */
  record TasksAndHandlers(List<Task> tasks, List<JobHandling<?>> handlings, Tracing tracing) {}

  @Bean
  TasksAndHandlers engineWork(List<Task> tasks, List<JobHandling<?>> handlings, Tracing tracing) {
    return new TasksAndHandlers(tasks, handlings, tracing);
  }

  @Bean(destroyMethod = "") // EngineLifecycle stops it
  Monotick monotick(
      PostgresStore store,
      ServerSettings settings,
      Environment environment,
      TasksAndHandlers work,
      EngineObservers observers) {
    MonotickBuilder builder =
        Monotick.builder()
            .store(store)
            .environment(EngineSettings.variables(settings, environment, work.tasks()))
            .concurrency(settings.get(SettingCatalog.WORKER_CONCURRENCY))
            .replicaName(ReplicaName.of(settings));
    work.tasks().forEach(builder::task);
    work.handlings().forEach(each -> each.addTo(builder, work.tracing()));
    observers.addTo(builder);
    Monotick monotick = builder.build();
    observers.listeners().forEach(listener -> monotick.subscribe(listener));
    return monotick;
  }

  @Bean
  EngineLifecycle engineLife(
      Monotick monotick, ServerSettings settings, ApplicationEventPublisher events) {
    return new EngineLifecycle(monotick, settings.get(SettingCatalog.SHUTDOWN_GRACE), events);
  }
}
