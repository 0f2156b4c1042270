package dev.monotick.server.ratelimit;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.LoginThrottle;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.ProblemWriter;
import dev.monotick.server.setting.PlatformSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/** Counts requests after it is known who sends them, and before anything is done. */
@Configuration(proxyBeanMethods = false)
class RateLimitConfiguration {

  /** Spring's chain of security filters has -100. */
  private static final int AFTER_SECURITY = -90;

  private static final class RateLimitFilter extends OncePerRequestFilter {

    private final RateLimits limits;
    private final ProblemWriter problems;

    RateLimitFilter(RateLimits limits, ProblemWriter problems) {
      this.limits = limits;
      this.problems = problems;
    }

    @Override
    protected void doFilterInternal(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws ServletException, IOException {
      Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
      if (authentication != null && authentication.getPrincipal() instanceof Caller caller) {
        try {
          limits
              .take(caller, RouteClass.of(request.getMethod()))
              .ifPresent(headers -> headers.forEach(response::setHeader));
        } catch (Problem problem) {
          problems.write(response, problem);
          return;
        }
      }
      chain.doFilter(request, response);
    }
  }

  @Bean
  FilterRegistrationBean<?> rateLimitFilter(RateLimits limits, ProblemWriter problems) {
    FilterRegistrationBean<RateLimitFilter> registration =
        new FilterRegistrationBean<>(new RateLimitFilter(limits, problems));
    registration.addUrlPatterns("/v1/*");
    registration.setOrder(AFTER_SECURITY);
    return registration;
  }

  @Bean
  Task rateLimitCleanup(RateStore store, LoginThrottle failed, ServerSettings settings) {
    return Task.named("rate-limit-cleanup")
        .every(settings.get(PlatformSettings.RATE_LIMIT_CLEANUP_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .run(
            context -> {
              store.removeFull();
              failed.removeOld();
            });
  }
}
