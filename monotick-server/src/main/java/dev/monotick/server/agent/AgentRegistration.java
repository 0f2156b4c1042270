package dev.monotick.server.agent;

import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.Quotas;
import java.time.Duration;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Lets agents in. */
@Component
class AgentRegistration {

  private final AgentTable agents;
  private final Quotas quotas;
  private final Sql sql;
  private final AuditTrail audit;
  private final ServerSettings settings;

  /**
   * What an agent must know.
   *
   * @param name its name
   * @param tenant whose it is
   * @param isNew whether it was not known
   * @param lease how long it has work unless it says more
   * @param heartbeat how often it should
   * @param silence after how long without a word it is taken for gone
   */
  record Registered(
      String name, String tenant, boolean isNew, String lease, String heartbeat, String silence) {}

  AgentRegistration(
      AgentTable agents, Quotas quotas, Sql sql, AuditTrail audit, ServerSettings settings) {
    this.agents = agents;
    this.quotas = quotas;
    this.sql = sql;
    this.audit = audit;
    this.settings = settings;
  }

  /** Adds an agent, if the tenant may have one more; says the same of one that is known. */
  Registered register(Caller caller, AgentSpec.Checked spec) {
    boolean isNew =
        sql.transaction(
            () -> {
              boolean unknown = !agents.exists(new AgentName(caller.tenant(), spec.name()));
              if (unknown) {
                quotas.require(caller.tenant(), Quota.AGENTS, 1);
              }
              agents.register(caller, spec);
              if (unknown) {
                audit.append(
                    AuditEntry.by(
                        caller,
                        "agent_registered",
                        "agent/" + spec.name(),
                        Map.of("labels", spec.labels(), "version", spec.version())));
              }
              return unknown;
            });
    Duration lease = settings.get(ExecutionSettings.AGENT_LEASE);
    Duration silence = settings.get(ExecutionSettings.AGENT_SILENCE);
    Duration shorter = lease.compareTo(silence) < 0 ? lease : silence;
    return new Registered(
        spec.name(),
        caller.tenant(),
        isNew,
        lease.toString(),
        shorter.dividedBy(3).toString(),
        silence.toString());
  }
}
