package dev.monotick.server.agent;

import dev.monotick.server.access.Caller;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The table of agents. */
@Component
class AgentTable {

  private static final String SELECT =
      """
      select a.*, (select count(*) from @remote_work w
                    where w.tenant = a.tenant and w.agent = a.name and w.state = 'LEASED') as leases
        from @agent a
      """;

  private final Sql sql;
  private final JsonMapper json;
  private final AgentKeys keys;

  AgentTable(Sql sql, JsonMapper json, AgentKeys keys) {
    this.sql = sql;
    this.json = json;
    this.keys = keys;
  }

  /** Says whether there is such an agent. */
  boolean exists(AgentName agent) {
    return sql.of("select count(*) from @agent where tenant = :tenant and name = :name")
            .param("tenant", agent.tenant())
            .param("name", agent.name())
            .query(Long.class)
            .single()
        == 1;
  }

  /**
   * Adds an agent that has just been heard, or takes over what it now says of itself; refused if
   * somebody else speaks for it, also one who came first by a hair.
   */
  void register(Caller caller, AgentSpec.Checked spec) {
    AgentName agent = new AgentName(caller.tenant(), spec.name());
    keys.requireOpen(caller, agent);
    int registered =
        AgentKeys.by(
                caller,
                sql.of(
                    """
            insert into @agent as a
              (tenant, name, labels, version, capabilities, status, last_seen, bound_to)
            values (:tenant, :name, cast(:labels as jsonb), :version, cast(:capabilities as jsonb),
                    'ONLINE', clock_timestamp(), :speaker)
            on conflict (tenant, name) do update
               set labels = excluded.labels, version = excluded.version,
                   capabilities = excluded.capabilities, status = 'ONLINE',
                   last_seen = clock_timestamp(),
                   changes = a.changes + case when (a.labels, a.version, a.capabilities)
                     is distinct from (excluded.labels, excluded.version, excluded.capabilities)
                     then 1 else 0 end,
                   bound_to = excluded.bound_to
             where
            """
                        + AgentKeys.MAY))
            .param("tenant", caller.tenant())
            .param("name", spec.name())
            .param("labels", json.writeValueAsString(spec.labels()))
            .param("version", spec.version())
            .param("capabilities", json.writeValueAsString(spec.capabilities()))
            .update();
    if (registered == 0) {
      throw keys.refusal(caller, agent);
    }
  }

  /** Returns an agent. */
  AgentView find(AgentName agent) {
    return sql.of(SELECT + " where a.tenant = :tenant and a.name = :name")
        .param("tenant", agent.tenant())
        .param("name", agent.name())
        .query(this::read)
        .optional()
        .orElseThrow(() -> Problem.notFound("agent", agent.name()));
  }

  /** Returns agents in the order of their names. */
  List<AgentView> list(
      String tenant, Map<String, String> labels, Optional<String> status, String after, int most) {
    return sql.of(
            SELECT
                + """
                   where a.tenant = :tenant and a.name > :after
                     and a.labels @> cast(:labels as jsonb)
                     and (cast(:status as text) is null or a.status = :status)
                   order by a.name limit :most
                  """)
        .param("tenant", tenant)
        .param("after", after)
        .param("labels", json.writeValueAsString(labels))
        .param("status", status.orElse(null))
        .param("most", most)
        .query(this::read)
        .list();
  }

  /** Locks an agent and returns how often it was changed. */
  long lock(AgentName agent) {
    return sql.of("select changes from @agent where tenant = :tenant and name = :name for update")
        .param("tenant", agent.tenant())
        .param("name", agent.name())
        .query(Long.class)
        .optional()
        .orElseThrow(() -> Problem.notFound("agent", agent.name()));
  }

  /** Forgets agents; what they have goes to others. Returns which there were. */
  List<String> delete(String tenant, List<String> names) {
    return sql.of(
            """
            with gone as (
              delete from @agent where tenant = :tenant and name = any (:names::text[])
              returning tenant, name),
            freed as (
              update @remote_work w
                 set state = 'WAITING', lease_until = null,
                     due_at = clock_timestamp() + w.pickup_millis * interval '1 millisecond'
                from gone g
               where w.state = 'LEASED' and w.tenant = g.tenant and w.agent = g.name)
            select name from gone order by name
            """)
        .param("tenant", tenant)
        .param("names", names.toArray(String[]::new))
        .query((row, number) -> row.getString(1))
        .list();
  }

  private AgentView read(ResultSet row, int number) throws SQLException {
    return new AgentView(
        row.getString("name"),
        row.getString("status"),
        json.readValue(row.getString("labels"), new TypeReference<Map<String, String>>() {}),
        row.getString("version"),
        json.readValue(row.getString("capabilities"), new TypeReference<List<String>>() {}),
        Optional.ofNullable(row.getTimestamp("last_seen")).map(Timestamp::toInstant),
        row.getInt("leases"),
        Optional.ofNullable(row.getString("bound_to")),
        row.getTimestamp("created_at").toInstant(),
        row.getLong("changes"));
  }
}
