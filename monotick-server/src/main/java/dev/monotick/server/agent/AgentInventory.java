package dev.monotick.server.agent;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.Quotas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Brings the table of agents in line with somebody's inventory. */
@Component
class AgentInventory {

  private final Sql sql;
  private final JsonMapper json;
  private final AgentTable agents;
  private final Quotas quotas;

  /**
   * What an inventory changed.
   *
   * @param added agents that were not known
   * @param changed agents whose description is another now
   * @param unchanged how many others there are in the inventory
   * @param removed agents that are not in it
   */
  record Synced(List<String> added, List<String> changed, int unchanged, List<String> removed) {}

  AgentInventory(Sql sql, JsonMapper json, AgentTable agents, Quotas quotas) {
    this.sql = sql;
    this.json = json;
    this.agents = agents;
    this.quotas = quotas;
  }

  /** Does so, in the open transaction. What an agent has said of itself and when stays. */
  Synced sync(String tenant, List<AgentSpec.Checked> inventory, boolean prune) {
    Map<String, AgentSpec.Checked> wanted = new LinkedHashMap<>();
    for (AgentSpec.Checked each : inventory) {
      if (wanted.put(each.name(), each) != null) {
        throw Problem.invalid("agents", "agents has \"" + each.name() + "\" twice");
      }
    }
    quotas.room(tenant, Quota.AGENTS); // locks the tenant: one inventory at a time
    Map<String, Long> before = known(tenant);
    List<String> removed =
        prune
            ? agents.delete(
                tenant, before.keySet().stream().filter(name -> !wanted.containsKey(name)).toList())
            : List.of();
    List<String> added =
        wanted.keySet().stream().filter(name -> !before.containsKey(name)).toList();
    if (!added.isEmpty()) {
      quotas.require(tenant, Quota.AGENTS, added.size());
    }
    List<String> touched = upsert(tenant, inventory);
    List<String> changed = new ArrayList<>(touched);
    changed.removeAll(added);
    return new Synced(added, changed, wanted.size() - added.size() - changed.size(), removed);
  }

  private Map<String, Long> known(String tenant) {
    Map<String, Long> known = new HashMap<>();
    sql.of("select name, changes from @agent where tenant = :tenant")
        .param("tenant", tenant)
        .query(
            row -> {
              known.put(row.getString(1), row.getLong(2));
            });
    return known;
  }

  /** Returns the names of those that were added or changed. */
  private List<String> upsert(String tenant, List<AgentSpec.Checked> inventory) {
    return sql.of(
            """
            insert into @agent as a (tenant, name, labels, version, capabilities)
            select :tenant, g.name, g.labels, g.version, g.capabilities
              from jsonb_to_recordset(cast(:inventory as jsonb))
                as g(name text, labels jsonb, version text, capabilities jsonb)
             order by g.name
            on conflict (tenant, name) do update
               set labels = excluded.labels, version = excluded.version,
                   capabilities = excluded.capabilities, changes = a.changes + 1
             where (a.labels, a.version, a.capabilities)
                   is distinct from (excluded.labels, excluded.version, excluded.capabilities)
            returning a.name
            """)
        .param("tenant", tenant)
        .param("inventory", json.writeValueAsString(inventory))
        .query((row, number) -> row.getString(1))
        .list();
  }
}
