package dev.monotick.server.access;

import dev.monotick.server.problem.Problem;
import dev.monotick.server.problem.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Finds out who calls: {@code Authorization: Bearer mt_…}. Whoever belongs to no tenant names the
 * one he means by {@code Monotick-Tenant}; others may only name their own.
 */
@Component
class AccessFilter extends OncePerRequestFilter {

  static final String TENANT_HEADER = "Monotick-Tenant";
  private static final String BEARER = "Bearer ";
  private static final String DEFAULT_TENANT = "default";

  private final ApiKeys keys;
  private final ProblemWriter problems;

  AccessFilter(ApiKeys keys, ProblemWriter problems) {
    this.keys = keys;
    this.problems = problems;
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // an answer that takes a while is still the same caller's
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    try {
      Optional<Caller> caller = caller(request);
      if (caller.isPresent()) {
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(
            UsernamePasswordAuthenticationToken.authenticated(caller.get(), null, List.of()));
        SecurityContextHolder.setContext(context);
      }
    } catch (Problem problem) {
      problems.write(response, problem);
      return;
    }
    chain.doFilter(request, response); // Spring's own filter clears the context
  }

  private Optional<Caller> caller(HttpServletRequest request) {
    String header = request.getHeader("Authorization");
    if (header == null || !header.startsWith(BEARER)) {
      return Optional.empty();
    }
    ApiKeys.Key key =
        keys.find(header.substring(BEARER.length()).strip())
            .orElseThrow(() -> Problem.unauthenticated("this API key is not known, or expired"));
    return Optional.of(
        new Caller(
            key.id(),
            key.name(),
            key.role() == Role.AGENT ? "AGENT" : "KEY",
            key.role(),
            key.tenant(),
            tenant(key.tenant(), Optional.ofNullable(request.getHeader(TENANT_HEADER)))));
  }

  static String tenant(Optional<String> home, Optional<String> asked) {
    if (home.isEmpty()) {
      return asked.orElse(DEFAULT_TENANT);
    }
    if (asked.isPresent() && !asked.equals(home)) {
      throw Problem.forbidden("this key belongs to another tenant than " + asked.get());
    }
    return home.get();
  }
}
