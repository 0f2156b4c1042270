package dev.monotick.server.audit;

import dev.monotick.server.database.Sql;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Records what was done, in the transaction in which it was done. Rows of a tenant are chained:
 * each has the hash of the one before it, and a number without gaps. Appending locks the end of the
 * chain until the transaction ends, so append last.
 */
@Component
public class AuditTrail {

  private final Sql sql;
  private final JsonMapper json;

  private record Locked(AuditChainPosition end, Instant now) {}

  AuditTrail(Sql sql, JsonMapper json) {
    this.sql = sql;
    this.json = json;
  }

  /** Appends one entry. */
  public void append(AuditEntry entry) {
    append(List.of(entry));
  }

  /**
   * Appends entries, of each tenant in this order; tenants are locked in the order of their names.
   * Two statements for each tenant, however many entries it has.
   */
  public void append(List<AuditEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    Map<String, List<AuditEntry>> byTenant =
        entries.stream()
            .collect(Collectors.groupingBy(AuditEntry::tenant, TreeMap::new, Collectors.toList()));
    sql.inTransaction(() -> byTenant.forEach(this::appendTo));
  }

  private void appendTo(String tenant, List<AuditEntry> entries) {
    Locked locked =
        lock(tenant)
            .orElseGet(
                () -> {
                  begin(tenant);
                  return lock(tenant).orElseThrow();
                });
    List<AuditRecord> events = new ArrayList<>(entries.size());
    AuditChainPosition end = locked.end();
    for (AuditEntry entry : entries) {
      AuditRecord event =
          AuditRecord.after(end, locked.now(), entry, json.writeValueAsString(entry.detail()));
      events.add(event);
      end = event.end();
    }
    insert(tenant, events, end);
  }

  private void begin(String tenant) {
    sql.of("insert into @audit_chain (tenant) values (:tenant) on conflict (tenant) do nothing")
        .param("tenant", tenant)
        .update();
  }

  private Optional<Locked> lock(String tenant) {
    return sql.of(
            """
            select seq, hash, clock_timestamp() as now from @audit_chain
             where tenant = :tenant for update
            """)
        .param("tenant", tenant)
        .query(
            (row, number) ->
                new Locked(
                    AuditChainPosition.of(row, number),
                    row.getObject("now", OffsetDateTime.class)
                        .toInstant()
                        .truncatedTo(ChronoUnit.MICROS)))
        .optional();
  }

  private void insert(String tenant, List<AuditRecord> events, AuditChainPosition end) {
    sql.of(
            """
            with chain as (
              update @audit_chain set seq = :seq, hash = decode(:hash, 'hex') where tenant = :tenant)
            insert into @audit_event
              (tenant, seq, at, actor, actor_type, action, subject, detail, previous, hash)
            select :tenant, e.seq, :at, e.actor, e.type, e.action, e.subject, e.detail,
                   decode(e.previous, 'hex'), decode(e.hash, 'hex')
              from unnest(:seqs, :actors, :types, :actions, :subjects, :details, :previous, :hashes)
                   as e (seq, actor, type, action, subject, detail, previous, hash)
            """)
        .param("tenant", tenant)
        .param("seq", end.seq())
        .param("hash", end.hash())
        .param("at", java.sql.Timestamp.from(events.get(0).at()))
        .param("seqs", events.stream().map(AuditRecord::seq).toArray(Long[]::new))
        .param("actors", column(events, AuditRecord::actor))
        .param("types", column(events, AuditRecord::actorType))
        .param("actions", column(events, AuditRecord::action))
        .param("subjects", column(events, AuditRecord::subject))
        .param("details", column(events, AuditRecord::detail))
        .param("previous", column(events, AuditRecord::previous))
        .param("hashes", column(events, AuditRecord::hash))
        .update();
  }

  private static String[] column(List<AuditRecord> events, Function<AuditRecord, String> value) {
    return events.stream().map(value).toArray(String[]::new);
  }
}
