package dev.monotick.server.agent;

import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.remote.RemoteWorks;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Finds agents that are gone, and leases that lapsed. Each is one statement: its WHERE is checked
 * again on the row as it is when its lock is got, so a heartbeat that came meanwhile keeps the
 * agent online and its work its own. Two replicas that do it at once do it once.
 */
@Component
class AgentHealth {

  /** What becomes of work that is lost with its agent. */
  private static final String LOSE =
      """
         set losses = w.losses + 1, lease_until = null, progress = null, doing = null,
             state = case when w.hand_on and w.losses + 1 < :most then 'WAITING' else 'FAILED' end,
             due_at = clock_timestamp() + w.pickup_millis * interval '1 millisecond',
             permanent = not w.hand_on,
             error = case
               when not w.hand_on
                 then 'it may have happened: agent ' || w.agent || ' was lost in the middle of it'
               when w.losses + 1 >= :most
                 then 'lost with ' || (w.losses + 1) || ' agents, the last was ' || w.agent
               end,
             ended_at = case when w.hand_on and w.losses + 1 < :most then null
                             else clock_timestamp() end
      """;

  private final Sql sql;
  private final AuditTrail audit;
  private final RemoteWorks works;
  private final AgentQueue queue;
  private final ServerSettings settings;

  private record Lost(
      String tenant, String agent, Optional<Long> job, String state, Optional<Instant> endedAt) {}

  AgentHealth(
      Sql sql, AuditTrail audit, RemoteWorks works, AgentQueue queue, ServerSettings settings) {
    this.sql = sql;
    this.audit = audit;
    this.works = works;
    this.queue = queue;
    this.settings = settings;
  }

  @Bean
  Task agentHealthTask() {
    return Task.named("agent-health")
        .every(settings.get(ExecutionSettings.AGENT_HEALTH_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .run(context -> check());
  }

  void check() {
    List<Lost> found = new ArrayList<>();
    sql.inTransaction(
        () -> {
          found.addAll(silent());
          found.addAll(lapsed());
          audit.append(found.stream().map(AgentHealth::entry).toList());
        });
    for (Lost each : found) {
      if (each.job().isPresent() && each.endedAt().isPresent()) {
        works.signal(each.job().get(), each.endedAt().get());
      }
    }
    if (!found.isEmpty()) {
      queue.offered();
    }
  }

  private List<Lost> silent() {
    return sql.of(
            """
            with silent as (
              update @agent set status = 'OFFLINE'
               where status = 'ONLINE' and last_seen < now() - :silence * interval '1 millisecond'
              returning tenant, name),
            lost as (
              update @remote_work w
            """
                + LOSE
                + """
                from silent s
               where w.state = 'LEASED' and w.tenant = s.tenant and w.agent = s.name
              returning w.tenant, w.agent, w.job_id, w.state, w.ended_at)
            select tenant, name as agent, null::bigint as job_id, 'OFFLINE' as state,
                   null::timestamptz as ended_at from silent
            union all
            select tenant, agent, job_id, state, ended_at from lost
            """)
        .param("silence", settings.get(ExecutionSettings.AGENT_SILENCE).toMillis())
        .param("most", settings.get(ExecutionSettings.AGENT_LOSSES))
        .query(AgentHealth::read)
        .list();
  }

  private List<Lost> lapsed() {
    return sql.of(
            """
            update @remote_work w
            """
                + LOSE
                + """
             where w.state = 'LEASED' and w.lease_until < now()
            returning w.tenant, w.agent, w.job_id, w.state, w.ended_at
            """)
        .param("most", settings.get(ExecutionSettings.AGENT_LOSSES))
        .query(AgentHealth::read)
        .list();
  }

  private static Lost read(ResultSet row, int number) throws SQLException {
    long job = row.getLong("job_id");
    boolean known = !row.wasNull();
    return new Lost(
        row.getString("tenant"),
        row.getString("agent"),
        known ? Optional.of(job) : Optional.empty(),
        row.getString("state"),
        Optional.ofNullable(row.getTimestamp("ended_at")).map(each -> each.toInstant()));
  }

  private static AuditEntry entry(Lost lost) {
    if (lost.job().isEmpty()) {
      return AuditEntry.bySystem(lost.tenant(), "agent_offline", "agent/" + lost.agent(), Map.of());
    }
    return AuditEntry.bySystem(
        lost.tenant(),
        lost.state().equals("WAITING") ? "work_handed_on" : "work_lost",
        "job/" + lost.job().get(),
        Map.of("agent", lost.agent()));
  }
}
