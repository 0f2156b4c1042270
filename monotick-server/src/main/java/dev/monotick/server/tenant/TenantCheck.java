package dev.monotick.server.tenant;

import dev.monotick.server.access.Caller;
import dev.monotick.server.access.RequiresRole;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.spi.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Lets nobody act for a tenant that is not there, or is suspended. What was found is remembered for
 * a second, so a tenant that was suspended on one replica may go on that much longer on others.
 */
@Component
public class TenantCheck implements HandlerInterceptor {

  private static final Duration REMEMBERED = Duration.ofSeconds(1);
  private static final int MOST_REMEMBERED = 10_000;

  private final Sql sql;
  private final TimeSource time;
  private final Map<String, Found> remembered = new ConcurrentHashMap<>();

  private record Found(boolean suspended, long until) {}

  TenantCheck(Sql sql, TimeSource time) {
    this.sql = sql;
    this.time = time;
  }

  /** Refuses with 404 if there is no such tenant, with 403 if it is suspended. */
  public void require(String tenant) {
    long now = time.nanos();
    Found found = remembered.get(tenant);
    if (found == null || found.until() - now <= 0) {
      boolean suspended = read(tenant).orElseThrow(() -> Problem.notFound("tenant", tenant));
      if (remembered.size() >= MOST_REMEMBERED) {
        remembered.clear();
      }
      found = new Found(suspended, now + REMEMBERED.toNanos());
      remembered.put(tenant, found);
    }
    if (found.suspended()) {
      throw Problem.forbidden("tenant " + tenant + " is suspended");
    }
  }

  /** Forgets what is remembered, after a change. */
  void forget() {
    remembered.clear();
  }

  private Optional<Boolean> read(String tenant) {
    return sql.of("select suspended from @tenant where name = :tenant")
        .param("tenant", tenant)
        .query(Boolean.class)
        .optional();
  }

  /** What is about the whole installation is open to its admins, whatever became of a tenant. */
  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (handler instanceof HandlerMethod method
        && method.getBeanType().getName().startsWith("dev.monotick.")
        && !isPlatform(method)) {
      CurrentCaller.get().map(Caller::tenant).ifPresent(this::require);
    }
    return true;
  }

  private static boolean isPlatform(HandlerMethod method) {
    return Optional.ofNullable(
            AnnotatedElementUtils.findMergedAnnotation(method.getMethod(), RequiresRole.class))
        .or(
            () ->
                Optional.ofNullable(
                    AnnotatedElementUtils.findMergedAnnotation(
                        method.getBeanType(), RequiresRole.class)))
        .map(RequiresRole::platform)
        .orElse(false);
  }
}
