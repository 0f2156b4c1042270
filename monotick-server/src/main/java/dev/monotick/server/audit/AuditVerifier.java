package dev.monotick.server.audit;

import dev.monotick.server.database.Sql;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Recomputes chains. What was found to be right is kept as a checkpoint, so that the next look goes
 * on from there. A chain that is broken is told of in the chain itself, once for each place.
 */
@Component
class AuditVerifier {

  private static final Logger log = LoggerFactory.getLogger(AuditVerifier.class);
  private static final int PAGE = 2_000;

  private final Sql sql;
  private final AuditReader reader;
  private final AuditTrail trail;
  private final Map<String, AuditCheckResult> broken = new ConcurrentHashMap<>();

  AuditVerifier(Sql sql, AuditReader reader, AuditTrail trail) {
    this.sql = sql;
    this.reader = reader;
    this.trail = trail;
  }

  /** Looks at a chain from its beginning, or from where the last look ended. */
  AuditCheckResult verify(String tenant, boolean fromStart) {
    AuditChainPosition last = reader.end(tenant);
    Optional<AuditChainPosition> beginning = reader.beginning(tenant);
    AuditChainPosition from =
        (fromStart ? beginning : reader.verified(tenant).or(() -> beginning))
            .orElse(AuditChainPosition.NONE);
    AuditChainCheck check =
        new AuditChainCheck(tenant, from, fromStart ? reader.checkpoints(tenant) : Map.of());
    boolean more = true;
    while (more) {
      List<AuditRecord> events = reader.range(tenant, check.end().seq(), last.seq(), PAGE);
      more = events.stream().allMatch(check::next) && events.size() == PAGE;
    }
    check.ends(last);
    AuditCheckResult verdict = AuditCheckResult.of(from.seq(), check);
    if (verdict.intact()) {
      keep(tenant, check.end());
      if (fromStart) {
        broken.remove(tenant);
      }
    } else {
      AuditCheckResult before = broken.put(tenant, verdict);
      if (before == null || !Objects.equals(before.brokenAt(), verdict.brokenAt())) {
        log.error(
            "audit broken tenant={} seq={} reason={}",
            tenant,
            verdict.brokenAt(),
            verdict.reason());
        report(tenant, verdict);
      }
    }
    return verdict;
  }

  /** Returns the chains that this replica found to be broken. */
  Map<String, AuditCheckResult> broken() {
    return Map.copyOf(broken);
  }

  private void keep(String tenant, AuditChainPosition end) {
    if (end.seq() == 0) {
      return;
    }
    sql.of(
            """
            insert into @audit_checkpoint (tenant, seq, hash) values (:tenant, :seq, :hash)
            on conflict (tenant, seq) do nothing
            """)
        .param("tenant", tenant)
        .param("seq", end.seq())
        .param("hash", HexFormat.of().parseHex(end.hash()))
        .update();
  }

  private void report(String tenant, AuditCheckResult verdict) {
    String subject = "audit/" + verdict.brokenAt();
    sql.inTransaction(
        () -> {
          long told =
              sql.of(
                      """
                      select count(*) from @audit_event
                       where tenant = :tenant and subject = :subject and action = 'audit_broken'
                      """)
                  .param("tenant", tenant)
                  .param("subject", subject)
                  .query(Long.class)
                  .single();
          if (told == 0) {
            trail.append(
                AuditEntry.bySystem(
                    tenant,
                    "audit_broken",
                    subject,
                    Map.of("reason", String.valueOf(verdict.reason()))));
          }
        });
  }

  /** Returns the tenants whose chain has grown since it was last looked at. */
  List<String> unverified() {
    return sql.of(
            """
            select c.tenant from @audit_chain c
             where c.seq > coalesce((select max(p.seq) from @audit_checkpoint p
                                      where p.tenant = c.tenant), 0)
             order by c.tenant
            """)
        .query((row, number) -> row.getString(1))
        .list();
  }

  /** Returns all tenants that have a chain. */
  List<String> all() {
    return sql.of("select tenant from @audit_chain order by tenant")
        .query((row, number) -> row.getString(1))
        .list();
  }

  /** Counts events that nobody has looked at yet. */
  long lag() {
    return sql.of(
            """
            select coalesce(sum(c.seq - coalesce((select max(p.seq) from @audit_checkpoint p
                                                   where p.tenant = c.tenant), 0)), 0)
              from @audit_chain c
            """)
        .query(Long.class)
        .single();
  }
}
