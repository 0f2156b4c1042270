package dev.monotick.server.tenant;

import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.spi.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Tells the audit of refusals, at most once a minute for a tenant and quota. The refusal undoes the
 * request's transaction, so this is told when that is over and its connection is given back: by
 * then it needs no second one, which many refused callers at once could not all have.
 */
@Component
class QuotaRefusals implements HandlerInterceptor {

  private static final Logger log = LoggerFactory.getLogger(QuotaRefusals.class);
  private static final String NOTED = QuotaRefusals.class.getName();
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final Sql sql;
  private final AuditTrail audit;
  private final TimeSource time;

  /** When this replica need not ask the database before. */
  private final Map<String, Long> quietUntil = new ConcurrentHashMap<>();

  /**
   * What was refused.
   *
   * @param tenant to whom
   * @param quota of what
   * @param limit how much it may have
   * @param used how much it has
   * @param more how much more was asked for
   */
  record Refusal(String tenant, Quota quota, long limit, long used, long more) {}

  QuotaRefusals(Sql sql, AuditTrail audit, TimeSource time) {
    this.sql = sql;
    this.audit = audit;
    this.time = time;
  }

  /** Notes a refusal, to be told when the request is over; what is no request tells it itself. */
  void note(Refusal refusal) {
    RequestAttributes request = RequestContextHolder.getRequestAttributes();
    if (request != null) {
      request.setAttribute(NOTED, refusal, RequestAttributes.SCOPE_REQUEST);
    }
  }

  @Override
  public void afterCompletion(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable Exception e) {
    if (request.getAttribute(NOTED) instanceof Refusal refusal) {
      request.removeAttribute(NOTED);
      try {
        report(refusal, CurrentCaller.get());
      } catch (RuntimeException failure) {
        log.warn(
            "a refusal was not put on record: tenant={} quota={}: {}",
            refusal.tenant(),
            refusal.quota().field(),
            failure.toString());
      }
    }
  }

  private void report(Refusal refusal, Optional<Caller> caller) {
    String key = refusal.tenant() + "/" + refusal.quota().field();
    long now = time.nanos();
    Long quiet = quietUntil.get(key);
    if (quiet != null && quiet - now > 0) {
      return;
    }
    sql.inTransaction(
        () -> {
          if (isFirst(refusal)) {
            audit.append(entry(refusal, caller));
          }
        });
    quietUntil.put(key, now + PAUSE.toNanos());
  }

  private boolean isFirst(Refusal refusal) {
    return sql.of(
                """
                insert into @quota_refusal as r (tenant, quota) values (:tenant, :quota)
                on conflict (tenant, quota) do update set audited_at = now()
                 where r.audited_at <= now() - interval '1 minute'
                """)
            .param("tenant", refusal.tenant())
            .param("quota", refusal.quota().field())
            .update()
        == 1;
  }

  private static AuditEntry entry(Refusal refusal, Optional<Caller> caller) {
    return new AuditEntry(
        refusal.tenant(),
        caller.map(Caller::name).orElse("system"),
        caller.map(Caller::type).orElse("SYSTEM"),
        "quota_refused",
        "quota/" + refusal.quota().field(),
        Map.of("limit", refusal.limit(), "used", refusal.used(), "more", refusal.more()));
  }
}
