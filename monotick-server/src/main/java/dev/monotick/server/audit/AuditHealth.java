package dev.monotick.server.audit;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** How the audit is. */
@Component
public class AuditHealth {

  private final AuditVerifier verifier;
  private final EngineAudit engine;

  AuditHealth(AuditVerifier verifier, EngineAudit engine) {
    this.verifier = verifier;
    this.engine = engine;
  }

  /** Returns the chains that this replica found to be broken, with where and how. */
  public Map<String, String> broken() {
    Map<String, String> broken = new TreeMap<>();
    verifier
        .broken()
        .forEach(
            (tenant, verdict) ->
                broken.put(
                    tenant.isEmpty() ? "installation" : tenant,
                    "event " + verdict.brokenAt() + " " + verdict.reason()));
    return broken;
  }

  /** Counts events that nobody has verified yet. */
  public long unverified() {
    return verifier.lag();
  }

  /** Counts what this replica could not put on record. */
  public long dropped() {
    return engine.dropped();
  }
}
