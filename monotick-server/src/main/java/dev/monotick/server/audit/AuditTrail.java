package dev.monotick.server.audit;

import dev.monotick.server.database.Sql;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  private record End(long seq, byte[] hash) {}

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
    End end = lock(tenant);
    Instant now =
        sql.of("select clock_timestamp()")
            .query((row, number) -> row.getTimestamp(1).toInstant())
            .single()
            .truncatedTo(ChronoUnit.MICROS);
    for (AuditEntry entry : entries) {
      End next = next(end, entry, now);
      insert(entry, now, end, next);
      end = next;
    }
    sql.of("update @audit_chain set seq = :seq, hash = :hash where tenant = :tenant")
        .param("seq", end.seq())
        .param("hash", end.hash())
        .param("tenant", tenant)
        .update();
  }

  private End lock(String tenant) {
    sql.of("insert into @audit_chain (tenant) values (:tenant) on conflict (tenant) do nothing")
        .param("tenant", tenant)
        .update();
    return sql.of("select seq, hash from @audit_chain where tenant = :tenant for update")
        .param("tenant", tenant)
        .query((row, number) -> new End(row.getLong(1), row.getBytes(2)))
        .single();
  }

  private End next(End end, AuditEntry entry, Instant at) {
    long seq = end.seq() + 1;
    return new End(seq, hash(end.hash(), seq, at, entry, json.writeValueAsString(entry.detail())));
  }

  /**
   * The hash of a row: of the one before it, and of its own values, each with its length before it.
   */
  static byte[] hash(byte[] previous, long seq, Instant at, AuditEntry entry, String detail) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(previous);
      for (String each :
          List.of(
              entry.tenant(),
              String.valueOf(seq),
              at.toString(),
              entry.actor(),
              entry.actorType(),
              entry.action(),
              entry.subject(),
              detail)) {
        byte[] bytes = each.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
        digest.update(bytes);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private void insert(AuditEntry entry, Instant at, End before, End after) {
    sql.of(
            """
            insert into @audit_event
              (tenant, seq, at, actor, actor_type, action, subject, detail, previous, hash)
            values (:tenant, :seq, :at, :actor, :type, :action, :subject,
                    :detail, :previous, :hash)
            """)
        .param("tenant", entry.tenant())
        .param("seq", after.seq())
        .param("at", java.sql.Timestamp.from(at))
        .param("actor", entry.actor())
        .param("type", entry.actorType())
        .param("action", entry.action())
        .param("subject", entry.subject())
        .param("detail", json.writeValueAsString(entry.detail()))
        .param("previous", before.hash())
        .param("hash", after.hash())
        .update();
  }
}
