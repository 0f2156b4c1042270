package dev.monotick.server.access;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.ProblemWriter;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.setting.SettingCatalog;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Closes everything but health. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration implements WebMvcConfigurer {

  private static final Logger log = LoggerFactory.getLogger(AccessConfiguration.class);

  private final AccessRules rules = new AccessRules();

  @Bean
  SecurityFilterChain security(
      HttpSecurity http, AccessFilter filter, ProblemWriter problems, ServerSettings settings)
      throws Exception {
    boolean metricsOpen = settings.get(PlatformSettings.PROMETHEUS_OPEN);
    return http.csrf(csrf -> csrf.disable()) // no cookies, so nothing to forge
        .httpBasic(basic -> basic.disable())
        .formLogin(form -> form.disable())
        .logout(logout -> logout.disable())
        .requestCache(cache -> cache.disable())
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .headers(
            headers ->
                headers
                    .contentSecurityPolicy(
                        policy ->
                            policy.policyDirectives("default-src 'self'; frame-ancestors 'none'"))
                    .referrerPolicy(policy -> {}))
        .addFilterBefore(filter, AuthorizationFilter.class)
        .authorizeHttpRequests(
            requests ->
                requests
                    .requestMatchers("/prometheus")
                    .access(
                        (who, context) ->
                            new AuthorizationDecision(metricsOpen || maySeeMetrics(who.get())))
                    .requestMatchers("/health", "/health/**", "/error")
                    .permitAll()
                    .requestMatchers("/v1/callbacks/**") // proven by a token of the call's own
                    .permitAll()
                    .anyRequest()
                    .authenticated())
        .exceptionHandling(
            handling ->
                handling
                    .authenticationEntryPoint(
                        (request, response, e) ->
                            problems.write(
                                response,
                                Problem.unauthenticated(
                                    "give an API key as Authorization: Bearer mt_…")))
                    .accessDeniedHandler(
                        (request, response, e) ->
                            problems.write(
                                response,
                                Problem.forbidden(
                                    "this needs a key of the whole installation, not of a tenant"))))
        .build();
  }

  /** Nobody looks at how long each filter took, and it costs more than the filters. */
  @Bean
  SecurityObservationSettings noObservations() {
    return SecurityObservationSettings.noObservations();
  }

  /** Metrics are of all tenants. */
  private static boolean maySeeMetrics(@Nullable Authentication who) {
    return who != null
        && who.getPrincipal() instanceof Caller caller
        && caller.home().isEmpty()
        && caller.role().covers(Role.VIEWER);
  }

  /** It is part of the chain above, and of nothing else. */
  @Bean
  FilterRegistrationBean<AccessFilter> notByItself(AccessFilter filter) {
    FilterRegistrationBean<AccessFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setEnabled(false);
    return registration;
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(rules);
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(rules);
  }

  /** Sees to it that somebody can administer this installation. */
  @Bean
  SmartInitializingSingleton firstKey(ApiKeys keys, ServerSettings settings) {
    return () -> {
      String given = settings.get(SettingCatalog.ADMIN_KEY);
      if (!given.isEmpty()) {
        keys.adopt(given);
      } else if (keys.isEmpty()) {
        String made =
            keys.make(Optional.empty(), Role.ADMIN, "first admin", "installation", null).secret();
        log.info(
            """


              The first admin key, shown this once:

                {}

              Use it as  Authorization: Bearer …
            """,
            made);
      }
    };
  }
}
