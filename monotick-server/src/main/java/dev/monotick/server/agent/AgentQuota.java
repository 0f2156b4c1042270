package dev.monotick.server.agent;

import dev.monotick.server.database.Sql;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.QuotaUse;
import org.springframework.stereotype.Component;

/** Counts agents. */
@Component
class AgentQuota implements QuotaUse {

  private final Sql sql;

  AgentQuota(Sql sql) {
    this.sql = sql;
  }

  @Override
  public Quota quota() {
    return Quota.AGENTS;
  }

  @Override
  public long used(String tenant) {
    return sql.of("select count(*) from @agent where tenant = :tenant")
        .param("tenant", tenant)
        .query(Long.class)
        .single();
  }
}
