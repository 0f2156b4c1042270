package dev.monotick.server.health;

import dev.monotick.server.database.Sql;
import dev.monotick.server.tenant.QuotaUse;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** How much tenants have of what they may have; of the first hundred, every sixth time. */
@Component
class QuotaMetrics {

  private static final int EVERY = 6;

  private final Sql sql;
  private final List<QuotaUse> uses;
  private final MultiGauge used;
  private final AtomicInteger polls = new AtomicInteger();

  QuotaMetrics(Sql sql, List<QuotaUse> uses, MeterRegistry registry) {
    this.sql = sql;
    this.uses = List.copyOf(uses);
    this.used =
        MultiGauge.builder("monotick.quota.used")
            .description("how much of a quota a tenant uses")
            .register(registry);
  }

  void poll() {
    if (polls.getAndIncrement() % EVERY != 0 || uses.isEmpty()) {
      return;
    }
    List<String> tenants =
        sql.of("select name from @tenant order by name limit 100")
            .query((row, number) -> row.getString(1))
            .list();
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    for (String tenant : tenants) {
      for (QuotaUse use : uses) {
        long value = sql.transaction(() -> use.used(tenant));
        rows.add(MultiGauge.Row.of(Tags.of("tenant", tenant, "quota", use.quota().field()), value));
      }
    }
    used.register(rows, true);
  }
}
