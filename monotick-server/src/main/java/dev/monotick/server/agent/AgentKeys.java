package dev.monotick.server.agent;

import dev.monotick.server.access.Caller;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Component;

/**
 * Who may speak for an agent. A key that was made for one agent speaks for that one alone, and
 * while it is valid nobody else does. Of other keys, the first that speaks for an agent has its
 * name from then on, until an operator releases it: so one key may serve a whole fleet, and who has
 * another can neither report for its agents, nor take their work, nor silence them.
 */
@Component
class AgentKeys {

  /** Holds for the row {@code a} of an agent if :speaker, whose key is :key, may speak for it. */
  static final String MAY =
      """
      (case when exists (select from @api_key k where k.id = :key and k.agent is not null)
            then exists (select from @api_key k where k.id = :key and k.agent = a.name)
            else (a.bound_to is null or a.bound_to = :speaker)
                 and not exists (select from @api_key k
                                  where k.tenant = a.tenant and k.agent = a.name
                                    and k.revoked_at is null
                                    and (k.expires_at is null or k.expires_at > now()))
       end)
      """;

  private final Sql sql;

  private record KeyBinding(
      boolean known, Optional<String> only, boolean reserved, Optional<String> boundTo) {}

  AgentKeys(Sql sql) {
    this.sql = sql;
  }

  /** Gives a statement that has {@link #MAY} what it needs. */
  static StatementSpec by(Caller caller, StatementSpec statement) {
    return statement
        .param("speaker", caller.reference())
        // A token's subject may look like the id of a key.
        .param("key", caller.type().equals("USER") ? "" : caller.id());
  }

  /** Returns the agent's name if the caller may speak for it; refuses him if not. */
  AgentName require(Caller caller, String name) {
    AgentName agent = new AgentName(caller.tenant(), name);
    long may =
        by(
                caller,
                sql.of(
                    "select count(*) from @agent a where a.tenant = :tenant and a.name = :name and "
                        + MAY))
            .param("tenant", agent.tenant())
            .param("name", name)
            .query(Long.class)
            .single();
    if (may == 0) {
      throw refusal(caller, agent);
    }
    return agent;
  }

  /** Records that an agent was heard; the first who speaks for it has its name. */
  AgentName authenticate(Caller caller, String name) {
    AgentName agent = new AgentName(caller.tenant(), name);
    int known =
        by(
                caller,
                sql.of(
                    """
                    update @agent a
                       set status = 'ONLINE', last_seen = clock_timestamp(), bound_to = :speaker
                     where a.tenant = :tenant and a.name = :name and
                    """
                        + MAY))
            .param("tenant", agent.tenant())
            .param("name", name)
            .update();
    if (known == 0) {
      throw refusal(caller, agent);
    }
    return agent;
  }

  /** Refuses a caller who may not speak for that agent, whether or not it is known yet. */
  void requireOpen(Caller caller, AgentName agent) {
    KeyBinding standing = standing(caller, agent);
    if (mayNot(standing, caller, agent)) {
      throw refusal(standing, agent);
    }
  }

  /** Returns the refusal of one who may not speak for an agent, or names one that is not known. */
  Problem refusal(Caller caller, AgentName agent) {
    return refusal(standing(caller, agent), agent);
  }

  private static boolean mayNot(KeyBinding standing, Caller caller, AgentName agent) {
    if (standing.only().isPresent()) {
      return !standing.only().get().equals(agent.name());
    }
    return standing.reserved()
        || standing.boundTo().filter(other -> !other.equals(caller.reference())).isPresent();
  }

  private static Problem refusal(KeyBinding standing, AgentName agent) {
    if (standing.only().filter(only -> !only.equals(agent.name())).isPresent()) {
      return another(
          "this key speaks for the agent "
              + standing.only().get()
              + " alone, not for "
              + agent.name());
    }
    if (standing.only().isEmpty() && standing.reserved()) {
      return another("agent " + agent.name() + " has a key of its own; use that one");
    }
    if (!standing.known()) {
      return Problem.notFound("agent", agent.name() + "; register it first");
    }
    return another(
        "agent "
            + agent.name()
            + " speaks through another key; use that one, give this agent another name, or have an"
            + " operator release it by POST /v1/agents/"
            + agent.name()
            + "/release");
  }

  private static Problem another(String detail) {
    return Problem.of(403, "agent-of-another-key", detail);
  }

  private KeyBinding standing(Caller caller, AgentName agent) {
    return by(
            caller,
            sql.of(
                """
                select a.name is not null as known, a.bound_to,
                       (select k.agent from @api_key k where k.id = :key) as only,
                       exists (select from @api_key k
                                where k.tenant = :tenant and k.agent = :name
                                  and k.revoked_at is null
                                  and (k.expires_at is null or k.expires_at > now())) as reserved
                  from (select 1) one left join @agent a on a.tenant = :tenant and a.name = :name
                """))
        .param("tenant", agent.tenant())
        .param("name", agent.name())
        .query(
            (row, number) ->
                new KeyBinding(
                    row.getBoolean("known"),
                    Optional.ofNullable(row.getString("only")),
                    row.getBoolean("reserved"),
                    Optional.ofNullable(row.getString("bound_to"))))
        .single();
  }

  /** Has nobody speak for an agent until somebody does; returns who did. */
  Optional<String> release(AgentName agent) {
    return sql.of(
            """
            update @agent a set bound_to = null, changes = a.changes + 1
              from (select tenant, name, bound_to from @agent
                     where tenant = :tenant and name = :name for update) before
             where a.tenant = before.tenant and a.name = before.name
               and before.bound_to is not null
            returning before.bound_to
            """)
        .param("tenant", agent.tenant())
        .param("name", agent.name())
        .query((row, number) -> row.getString(1))
        .optional();
  }

  /** Releases all agents of a key; returns their names. */
  List<String> releaseAll(String tenant, String key) {
    return sql
        .of(
            """
            update @agent set bound_to = null, changes = changes + 1
             where tenant = :tenant and bound_to = :speaker returning name
            """)
        .param("tenant", tenant)
        .param("speaker", "key/" + key)
        .query((row, number) -> row.getString(1))
        .list()
        .stream()
        .sorted()
        .toList();
  }
}
