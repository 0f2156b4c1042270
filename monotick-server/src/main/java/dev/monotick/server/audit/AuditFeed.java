package dev.monotick.server.audit;

import dev.monotick.server.database.Sql;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/** What is on record, for those who follow it. */
@Component
public class AuditFeed {

  private final Sql sql;
  private final AuditReader reader;
  private final AuditViews views;

  AuditFeed(Sql sql, AuditReader reader, AuditViews views) {
    this.sql = sql;
    this.reader = reader;
    this.views = views;
  }

  /** Returns the number of the last event of each tenant that has any. */
  public Map<String, Long> ends(Collection<String> tenants) {
    Map<String, Long> ends = new HashMap<>();
    sql.of("select tenant, seq from @audit_chain where tenant = any(:tenants)")
        .param("tenants", tenants.toArray(String[]::new))
        .query((row, number) -> Map.entry(row.getString(1), row.getLong(2)))
        .list()
        .forEach(each -> ends.put(each.getKey(), each.getValue()));
    return ends;
  }

  /** Returns the number of the last event of a tenant. */
  public long end(String tenant) {
    return reader.end(tenant).seq();
  }

  /** Returns the number after which everything is still there. */
  public long beginning(String tenant) {
    return reader.beginning(tenant).orElse(AuditChainPosition.NONE).seq();
  }

  /** Returns events after a number, oldest first. */
  public List<AuditView> after(String tenant, long seq, int limit) {
    return reader.range(tenant, seq, Long.MAX_VALUE, limit).stream().map(views::of).toList();
  }
}
