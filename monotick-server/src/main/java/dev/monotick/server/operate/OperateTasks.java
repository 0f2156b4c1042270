package dev.monotick.server.operate;

import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingCatalog;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The loops behind this package. They get to the engine, which is made of them, when they run. */
@Configuration(proxyBeanMethods = false)
class OperateTasks {

  @Bean
  Task replicaView(ServerSettings settings, ObjectProvider<ReplicaViews> views) {
    return Task.named("replica-view")
        .every(settings.get(SettingCatalog.REPLICA_VIEW_INTERVAL))
        .mode(HaMode.EVERY_REPLICA)
        .timeout(Duration.ofSeconds(30))
        .run(context -> views.getObject().publish());
  }

  @Bean
  Task replicaOrders(
      ServerSettings settings,
      ObjectProvider<ReplicaCommands> orders,
      ObjectProvider<TaskPauses> pauses) {
    return Task.named("replica-orders")
        .every(settings.get(SettingCatalog.REPLICA_COMMANDS_INTERVAL))
        .mode(HaMode.EVERY_REPLICA)
        .timeout(Duration.ofSeconds(30))
        .run(
            context -> {
              orders.getObject().poll();
              pauses.getObject().poll();
            });
  }

  @Bean
  Task replicaCleanup(ObjectProvider<ReplicaViews> views, ObjectProvider<ReplicaCommands> orders) {
    return Task.named("replica-cleanup")
        .every(Duration.ofHours(1))
        .mode(HaMode.LEADER)
        .run(
            context -> {
              views.getObject().forgetOld();
              orders.getObject().forgetOld();
            });
  }
}
