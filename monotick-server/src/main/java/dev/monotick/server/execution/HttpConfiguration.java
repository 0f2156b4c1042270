package dev.monotick.server.execution;

import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.trace.Tracing;
import java.net.InetAddress;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What makes outgoing calls. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {

  @Bean
  AddressGuard addressGuard(ServerSettings settings) {
    return new AddressGuard(
        InetAddress::getAllByName,
        settings.get(ExecutionSettings.HTTP_PRIVATE),
        settings.get(ExecutionSettings.HTTP_ALLOW));
  }

  @Bean
  HttpCaller httpCaller(
      AddressGuard guard, CallTimeouts watch, ServerSettings settings, Tracing tracing) {
    return new HttpCaller(guard, watch, settings, tracing);
  }
}
