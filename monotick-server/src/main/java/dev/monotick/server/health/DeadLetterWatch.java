package dev.monotick.server.health;

import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.ServerSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Watches which tenants have more dead letters than is good. Every replica looks; that a tenant has
 * too many is written down, so that the one that sees it first tells the audit, and once.
 */
@Component
class DeadLetterWatch {

  private static final int MOST_SHOWN = 100;

  private static final String COUNTS =
      """
      select l.tenant, sum(c.dead)::bigint as dead
        from (select lane, dead from @@job_count union all select lane, dead from @@job_count_delta) c
        join @@job_lane l on l.id = c.lane
        join @tenant t on t.name = l.tenant
       where l.tenant = coalesce(cast(:tenant as text), l.tenant)
       group by 1 having sum(c.dead) > 0 order by 2 desc, 1
      """;

  private final Sql sql;
  private final AuditTrail audit;
  private final long limit;
  private final MultiGauge letters;
  private volatile Map<String, High> high = Map.of();

  /** How many a tenant has that has too many, and since when. */
  record High(long letters, Instant since) {}

  DeadLetterWatch(Sql sql, AuditTrail audit, ServerSettings settings, MeterRegistry registry) {
    this.sql = sql;
    this.audit = audit;
    this.limit = settings.get(JobSettings.ALERT_DEAD_LETTERS);
    this.letters =
        MultiGauge.builder("monotick.dead.letters")
            .description("dead letters of a tenant; of the hundred that have most")
            .register(registry);
    Gauge unused =
        Gauge.builder("monotick.dead.letters.high", () -> high.size())
            .description("tenants that have more dead letters than is good")
            .register(registry);
  }

  /** Returns how many are good; -1 for any. */
  long limit() {
    return limit;
  }

  /** Returns the tenants that have too many. */
  Map<String, High> high() {
    return high;
  }

  void poll() {
    Map<String, Long> counts = counts(null);
    letters.register(
        counts.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(MOST_SHOWN)
            .<MultiGauge.Row<?>>map(
                each -> MultiGauge.Row.of(Tags.of("tenant", each.getKey()), each.getValue()))
            .toList(),
        true);
    Map<String, Instant> told = reported();
    counts.forEach(
        (tenant, count) -> {
          if (isHigh(count) && !told.containsKey(tenant)) {
            change(tenant);
          }
        });
    told.keySet().stream()
        .filter(tenant -> !isHigh(counts.getOrDefault(tenant, 0L)))
        .forEach(this::change);
    Map<String, High> seen = new TreeMap<>();
    reported()
        .forEach(
            (tenant, since) -> seen.put(tenant, new High(counts.getOrDefault(tenant, 0L), since)));
    high = seen;
  }

  private boolean isHigh(long count) {
    return limit >= 0 && count > limit;
  }

  private Map<String, Long> counts(@Nullable String tenant) {
    Map<String, Long> counts = new HashMap<>();
    sql.of(COUNTS)
        .param("tenant", tenant)
        .query((row, number) -> Map.entry(row.getString("tenant"), row.getLong("dead")))
        .list()
        .forEach(each -> counts.put(each.getKey(), each.getValue()));
    return counts;
  }

  private Map<String, Instant> reported() {
    Map<String, Instant> told = new HashMap<>();
    sql.of("select tenant, since from @dead_letter_alert")
        .query(
            (row, number) ->
                Map.entry(row.getString("tenant"), row.getTimestamp("since").toInstant()))
        .list()
        .forEach(each -> told.put(each.getKey(), each.getValue()));
    return told;
  }

  /** Counts anew with the tenant locked: of replicas that look at once, none has an older view. */
  private void change(String tenant) {
    sql.inTransaction(
        () -> {
          boolean exists =
              sql.of("select name from @tenant where name = :tenant for no key update")
                  .param("tenant", tenant)
                  .query((row, number) -> row.getString(1))
                  .optional()
                  .isPresent();
          long count = counts(tenant).getOrDefault(tenant, 0L);
          boolean isHigh = exists && isHigh(count);
          int changed =
              sql.of(
                      isHigh
                          ? """
                            insert into @dead_letter_alert (tenant) values (:tenant)
                            on conflict do nothing
                            """
                          : "delete from @dead_letter_alert where tenant = :tenant")
                  .param("tenant", tenant)
                  .update();
          if (changed == 1 && exists) {
            audit.append(
                AuditEntry.bySystem(
                    tenant,
                    isHigh ? "dead_letters_high" : "dead_letters_normal",
                    "dead-letters",
                    Map.of("deadLetters", count, "limit", limit < 0 ? "unlimited" : limit)));
          }
        });
  }
}
