package dev.monotick.server.audit;

import dev.monotick.server.database.Sql;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Removes what is old from the beginning of chains, never beyond what was verified. What the last
 * removed event was stays as a checkpoint: the chain begins there from then on.
 */
@Component
class AuditRetention {

  private final Sql sql;
  private final AuditReader reader;

  private record Prefix(String tenant, long seq) {}

  AuditRetention(Sql sql, AuditReader reader) {
    this.sql = sql;
    this.reader = reader;
  }

  /** Removes up to so many events of each chain in a transaction; returns how many in all. */
  long remove(Duration older, int batch) {
    long removed = 0;
    for (Prefix prefix : verifiedBefore(older)) {
      for (long some = batch; some == batch; removed += some) {
        some = sql.transaction(() -> removeSome(prefix, batch));
      }
    }
    return removed;
  }

  /** A checkpoint is younger than all events up to it: if it is old, they all are. */
  private List<Prefix> verifiedBefore(Duration older) {
    return sql.of(
            """
            select tenant, max(seq) as seq from @audit_checkpoint
             where at < now() - cast(:older as interval) group by tenant order by tenant
            """)
        .param("older", older.toSeconds() + " seconds")
        .query((row, number) -> new Prefix(row.getString("tenant"), row.getLong("seq")))
        .list();
  }

  private long removeSome(Prefix prefix, int batch) {
    List<AuditRecord> events = reader.range(prefix.tenant(), 0, prefix.seq(), batch);
    if (events.isEmpty()) {
      return 0;
    }
    AuditRecord last = events.get(events.size() - 1);
    sql.of("set local monotick.audit_retention = 'on'").update();
    sql.of(
            """
            insert into @audit_checkpoint (tenant, seq, hash) values (:tenant, :seq, :hash)
            on conflict (tenant, seq) do nothing
            """)
        .param("tenant", prefix.tenant())
        .param("seq", last.seq())
        .param("hash", HexFormat.of().parseHex(last.hash()))
        .update();
    sql.of("delete from @audit_event where tenant = :tenant and seq <= :seq")
        .param("tenant", prefix.tenant())
        .param("seq", last.seq())
        .update();
    sql.of("delete from @audit_checkpoint where tenant = :tenant and seq < :seq")
        .param("tenant", prefix.tenant())
        .param("seq", last.seq())
        .update();
    return events.size();
  }
}
