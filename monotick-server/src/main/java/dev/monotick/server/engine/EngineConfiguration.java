package dev.monotick.server.engine;

import dev.monotick.Monotick;
import dev.monotick.MonotickBuilder;
import dev.monotick.job.Jobs;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.server.setting.Known;
import dev.monotick.server.setting.ReplicaName;
import dev.monotick.server.setting.Settings;
import dev.monotick.server.trace.Tracing;
import dev.monotick.task.Task;
import dev.monotick.time.TimeSource;
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
    return Jobs.of(store);
  }

  /**
   * What the engine is to do.
   *
   * @param tasks all tasks that are beans
   * @param handlings all handlers that are
   * @param tracing who is told of their runs
   */
  record Work(List<Task> tasks, List<JobHandling<?>> handlings, Tracing tracing) {}

  @Bean
  Work engineWork(List<Task> tasks, List<JobHandling<?>> handlings, Tracing tracing) {
    return new Work(tasks, handlings, tracing);
  }

  @Bean(destroyMethod = "") // EngineLife stops it
  Monotick monotick(
      PostgresStore store,
      Settings settings,
      Environment environment,
      Work work,
      EngineObservers observers) {
    MonotickBuilder builder =
        Monotick.builder()
            .store(store)
            .environment(EngineSettings.variables(settings, environment, work.tasks()))
            .concurrency(settings.get(Known.WORKER_CONCURRENCY))
            .replicaName(ReplicaName.of(settings));
    work.tasks().forEach(builder::task);
    work.handlings().forEach(each -> each.addTo(builder, work.tracing()));
    observers.addTo(builder);
    Monotick monotick = builder.build();
    observers.listeners().forEach(listener -> monotick.subscribe(listener));
    return monotick;
  }

  @Bean
  EngineLife engineLife(Monotick monotick, Settings settings, ApplicationEventPublisher events) {
    return new EngineLife(monotick, settings.get(Known.SHUTDOWN_GRACE), events);
  }
}
