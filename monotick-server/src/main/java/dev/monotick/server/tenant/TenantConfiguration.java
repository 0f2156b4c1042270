package dev.monotick.server.tenant;

import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Puts the gate before all handlers, after it was found out who calls and whether he may. */
@Configuration(proxyBeanMethods = false)
class TenantConfiguration implements WebMvcConfigurer {

  private static final int AFTER_ACCESS = 100;

  private final TenantCheck check;
  private final QuotaRefusals refusals;

  TenantConfiguration(TenantCheck gate, QuotaRefusals refusals) {
    this.check = gate;
    this.refusals = refusals;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(check).order(AFTER_ACCESS);
    registry.addInterceptor(refusals).order(AFTER_ACCESS + 1);
  }
}
