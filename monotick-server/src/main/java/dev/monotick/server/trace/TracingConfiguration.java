package dev.monotick.server.trace;

import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Traces, if somebody collects them. */
@Configuration(proxyBeanMethods = false)
class TracingConfiguration {

  /** Outside of everything else that looks at requests. */
  private static final int OUTERMOST = Ordered.HIGHEST_PRECEDENCE + 5;

  private static boolean isOn(ServerSettings settings) {
    return !settings.get(PlatformSettings.TRACING_ENDPOINT).isEmpty()
        && settings.get(PlatformSettings.TRACING_SAMPLE) > 0;
  }

  @Bean
  Tracing tracing(ServerSettings settings) {
    return isOn(settings) ? SpanExport.by(settings) : Tracing.OFF;
  }

  /** So that requests do not even pass a filter when nobody collects. */
  static final class On implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      String endpoint =
          context.getEnvironment().getProperty(PlatformSettings.TRACING_ENDPOINT.name());
      return endpoint != null // reading them all takes longer than this
          && !endpoint.isBlank()
          && isOn(ServerSettings.read(context.getEnvironment()::getProperty));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Conditional(On.class)
  static class Requests {

    @Bean
    FilterRegistrationBean<RequestSpans> requestSpans(Tracing tracing) {
      FilterRegistrationBean<RequestSpans> registration =
          new FilterRegistrationBean<>(new RequestSpans(((OpenTelemetryTracing) tracing).tracer()));
      registration.setOrder(OUTERMOST);
      return registration;
    }
  }
}
