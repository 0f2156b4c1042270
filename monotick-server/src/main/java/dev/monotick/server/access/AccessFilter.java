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
import org.slf4j.MDC;
import org.springframework.dao.DataAccessException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Finds out who calls: {@code Authorization: Bearer mt_…}, or a token of the configured issuer.
 * Whoever belongs to no tenant names the one he means by {@code Monotick-Tenant}; others may only
 * name their own.
 */
@Component
class AccessFilter extends OncePerRequestFilter {

  static final String TENANT_HEADER = "Monotick-Tenant";
  private static final String BEARER = "Bearer ";
  private static final String KEY = "mt_";
  private static final String DEFAULT_TENANT = "default";

  /** Health shows its details to those who have it. */
  private static final List<GrantedAuthority> PLATFORM =
      List.of(new SimpleGrantedAuthority("ROLE_PLATFORM"));

  private final ApiKeys keys;
  private final OidcTokens tokens;
  private final LoginThrottle failed;
  private final RecentCredentials proven;
  private final ProblemWriter problems;

  AccessFilter(
      ApiKeys keys,
      OidcTokens tokens,
      LoginThrottle failed,
      RecentCredentials proven,
      ProblemWriter problems) {
    this.keys = keys;
    this.tokens = tokens;
    this.failed = failed;
    this.proven = proven;
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
            UsernamePasswordAuthenticationToken.authenticated(
                caller.get(), null, caller.get().home().isEmpty() ? PLATFORM : List.of()));
        SecurityContextHolder.setContext(context);
        request.setAttribute(Caller.ATTRIBUTE, caller.get());
        MDC.put("tenant", caller.get().tenant());
      }
    } catch (Problem problem) {
      problems.write(response, problem);
      return;
    } catch (DataAccessException | TransactionException e) {
      logger.warn("cannot verify API keys: the database is unavailable: " + e);
      problems.write(response, Problem.unavailable("the database is unavailable"));
      return;
    }
    try {
      chain.doFilter(request, response); // Spring's own filter clears the context
    } finally {
      MDC.remove("tenant");
    }
  }

  private Optional<Caller> caller(HttpServletRequest request) {
    String header = request.getHeader("Authorization");
    if (header == null || !header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return Optional.empty();
    }
    String credential = header.substring(BEARER.length()).strip();
    String address = ClientAddress.of(request);
    RecentCredentials.CredentialAge standing = proven.of(credential);
    if (standing == RecentCredentials.CredentialAge.UNKNOWN) {
      failed.require(address);
    }
    Optional<String> asked = Optional.ofNullable(request.getHeader(TENANT_HEADER));
    Caller caller;
    try {
      caller = credential.startsWith(KEY) ? ofKey(credential, asked) : ofToken(credential, asked);
    } catch (Problem problem) {
      throw problem.status() == 401
          ? failed.failed(address, ApiKeys.claimed(credential), problem)
          : problem;
    }
    if (standing != RecentCredentials.CredentialAge.FRESH) {
      proven.add(credential);
    }
    return Optional.of(caller);
  }

  private Caller ofKey(String credential, Optional<String> asked) {
    ApiKeys.Key key =
        keys.find(credential)
            .orElseThrow(() -> Problem.unauthenticated("this API key is not known, or expired"));
    return new Caller(
        key.id(),
        key.name(),
        key.role() == Role.AGENT ? "AGENT" : "KEY",
        key.role(),
        key.tenant(),
        tenant(key.tenant(), asked));
  }

  private Caller ofToken(String credential, Optional<String> asked) {
    OidcTokens.User user = tokens.read(credential);
    return new Caller(
        user.subject(),
        user.name(),
        "USER",
        user.role(),
        user.tenant(),
        tenant(user.tenant(), asked));
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
