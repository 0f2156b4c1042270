package dev.monotick.server.tenant;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.setting.Settings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Keeps tenants to what they may have. Whoever adds something asks here first, in the transaction
 * that adds it: the tenant's row is locked until that ends, so however many replicas ask at once,
 * the limit is exact.
 */
@Component
public class Quotas {

  private static final Duration LATER = Duration.ofSeconds(5);

  private final Sql sql;
  private final Settings settings;
  private final Map<Quota, QuotaUse> uses = new EnumMap<>(Quota.class);

  Quotas(Sql sql, Settings settings, List<QuotaUse> uses) {
    this.sql = sql;
    this.settings = settings;
    uses.forEach(use -> this.uses.put(use.quota(), use));
  }

  /** Refuses with 429 if the tenant may not have so many more. */
  public void require(String tenant, Quota quota, long more) {
    long room = room(tenant, quota);
    if (more > room) {
      throw Problem.tooMany(
              "quota-exceeded",
              "tenant "
                  + tenant
                  + " may have "
                  + limit(tenant, quota)
                  + " "
                  + quota.field()
                  + " and has room for "
                  + room
                  + "; "
                  + more
                  + " more were asked for",
              LATER)
          .with("quota", quota.field());
    }
  }

  /** Locks the tenant and returns how many more it may have; a very large number if unlimited. */
  public long room(String tenant, Quota quota) {
    long limit = limit(tenant, quota);
    QuotaUse use = uses.get(quota);
    return limit < 0 || use == null ? Long.MAX_VALUE : Math.max(0, limit - use.used(tenant));
  }

  private long limit(String tenant, Quota quota) {
    return sql.composed(
            "select coalesce("
                + quota.column()
                + ", :usual) from @tenant where name = :tenant for no key update")
        .param("usual", settings.get(quota.usual()))
        .param("tenant", tenant)
        .query(Long.class)
        .optional()
        .orElseThrow(() -> Problem.notFound("tenant", tenant));
  }
}
