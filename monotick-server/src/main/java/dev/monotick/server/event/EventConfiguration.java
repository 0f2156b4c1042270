package dev.monotick.server.event;

import dev.monotick.server.audit.AuditFeed;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.task.Task;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The hub, and its look. */
@Configuration(proxyBeanMethods = false)
class EventConfiguration {

  @Bean
  EventHub eventHub(
      AuditFeed feed, TimeSource time, ServerSettings settings, MeterRegistry registry) {
    return new EventHub(feed, time, settings, registry);
  }

  @Bean
  Task eventTail(EventHub hub, ServerSettings settings) {
    return hub.task(settings.get(PlatformSettings.EVENTS_INTERVAL));
  }
}
