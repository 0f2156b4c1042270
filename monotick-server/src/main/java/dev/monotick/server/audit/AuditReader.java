package dev.monotick.server.audit;

import dev.monotick.server.database.Sql;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads what is on record. */
@Component
public class AuditReader {

  private final Sql sql;

  /**
   * Which events somebody wants; null for all.
   *
   * @param actor who did it
   * @param action what was done
   * @param subject to what
   * @param from not before
   * @param to before
   */
  record Filter(
      @Nullable String actor,
      @Nullable String action,
      @Nullable String subject,
      @Nullable Instant from,
      @Nullable Instant to) {}

  AuditReader(Sql sql) {
    this.sql = sql;
  }

  /** Reads events before a number, newest first. */
  List<AuditRecord> newest(String tenant, Filter filter, long before, int limit) {
    StringBuilder where = new StringBuilder();
    Map<String, Object> values = new LinkedHashMap<>();
    add(where, values, "actor = :actor", "actor", filter.actor());
    add(where, values, "action = :action", "action", filter.action());
    add(where, values, "subject = :subject", "subject", filter.subject());
    add(where, values, "at >= :from", "from", timestamp(filter.from()));
    add(where, values, "at < :to", "to", timestamp(filter.to()));
    return sql.composed(
            "select "
                + AuditRecord.COLUMNS
                + " from @audit_event where tenant = :tenant and seq < :before"
                + where
                + " order by seq desc limit :limit")
        .param("tenant", tenant)
        .param("before", before)
        .param("limit", limit)
        .params(values)
        .query(AuditRecord::of)
        .list();
  }

  private static void add(
      StringBuilder where,
      Map<String, Object> values,
      String condition,
      String name,
      @Nullable Object value) {
    if (value != null) {
      where.append(" and ").append(condition);
      values.put(name, value);
    }
  }

  private static @Nullable Timestamp timestamp(@Nullable Instant at) {
    return at == null ? null : Timestamp.from(at);
  }

  /** Reads events after a number up to another, oldest first. */
  List<AuditRecord> range(String tenant, long after, long last, int limit) {
    return sql.of(
            """
            select seq, at, tenant, actor, actor_type, action, subject, detail, previous, hash
              from @audit_event
             where tenant = :tenant and seq > :after and seq <= :last order by seq limit :limit
            """)
        .param("tenant", tenant)
        .param("after", after)
        .param("last", last)
        .param("limit", limit)
        .query(AuditRecord::of)
        .list();
  }

  /** Returns the end of a tenant's chain. */
  AuditChainPosition end(String tenant) {
    return sql.of("select seq, hash from @audit_chain where tenant = :tenant")
        .param("tenant", tenant)
        .query(AuditChainPosition::of)
        .optional()
        .orElse(AuditChainPosition.NONE);
  }

  /**
   * Returns where a chain begins: nowhere, or the checkpoint up to which retention has removed it.
   * Empty if events are missing and no checkpoint accounts for them.
   */
  Optional<AuditChainPosition> beginning(String tenant) {
    Optional<Long> first =
        sql.of("select min(seq) from @audit_event where tenant = :tenant")
            .param("tenant", tenant)
            .query((row, number) -> Optional.ofNullable((Long) row.getObject(1)))
            .single();
    long before = first.orElseGet(() -> end(tenant).seq() + 1) - 1;
    return before == 0 ? Optional.of(AuditChainPosition.NONE) : checkpoint(tenant, before);
  }

  private Optional<AuditChainPosition> checkpoint(String tenant, long seq) {
    return sql.of("select seq, hash from @audit_checkpoint where tenant = :tenant and seq = :seq")
        .param("tenant", tenant)
        .param("seq", seq)
        .query(AuditChainPosition::of)
        .optional();
  }

  /** Returns up to where a chain was last found to be intact. */
  Optional<AuditChainPosition> verified(String tenant) {
    return sql.of(
            """
            select seq, hash from @audit_checkpoint where tenant = :tenant order by seq desc limit 1
            """)
        .param("tenant", tenant)
        .query(AuditChainPosition::of)
        .optional();
  }

  /** Returns what is known of a chain from earlier looks: hashes by number. */
  Map<Long, String> checkpoints(String tenant) {
    Map<Long, String> known = new LinkedHashMap<>();
    sql.of(
            """
            select seq, hash from @audit_checkpoint
             where tenant = :tenant order by seq desc limit 10000
            """)
        .param("tenant", tenant)
        .query(AuditChainPosition::of)
        .list()
        .forEach(each -> known.put(each.seq(), each.hash()));
    return known;
  }
}
