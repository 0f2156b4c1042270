package dev.monotick.server.agent;

import dev.monotick.job.JobContext;
import dev.monotick.server.database.Sql;
import dev.monotick.server.remote.FinalOutcomes;
import dev.monotick.server.setting.ExecutionSettings;
import dev.monotick.server.setting.ServerSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Work that waits for agents, and who gets it. A row is handed out by one statement that locks it
 * (SKIP LOCKED, so agents that ask at once get different rows) and makes its fence grow.
 */
@Component
class AgentQueue {

  /** Where the trace is kept, beside the work. */
  private static final String TRACE = "trace";

  private final Sql sql;
  private final JsonMapper json;
  private final Duration lease;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /**
   * Work that an agent got.
   *
   * @param lease what proves that it has it
   * @param jobId the job it is for
   * @param attempt which attempt at that
   * @param work command or type, and what belongs to it
   * @param timeout how long it may take
   * @param leaseUntil how long the agent has it unless it says more
   * @param trace headers that make what the agent does part of the job's trace
   */
  record Leased(
      String lease,
      String jobId,
      int attempt,
      JsonNode work,
      String timeout,
      Instant leaseUntil,
      Map<String, String> trace) {}

  private record Row(Leased leased, Instant created) {}

  AgentQueue(Sql sql, JsonMapper json, ServerSettings settings) {
    this.sql = sql;
    this.json = json;
    this.lease = settings.get(ExecutionSettings.AGENT_LEASE);
  }

  Duration lease() {
    return lease;
  }

  /** Has somebody told when this replica offers work. */
  void whenOffered(Runnable listener) {
    listeners.add(listener);
  }

  /**
   * Offers a job to agents.
   *
   * @param trace what makes the agent's work part of the job's trace
   */
  void offer(JobContext<AgentTask> job, Duration pickup, Map<String, String> trace) {
    AgentTask task = job.payload();
    Map<String, Object> work = new LinkedHashMap<>();
    if (!trace.isEmpty()) {
      work.put(TRACE, trace);
    }
    if (task.command() != null) {
      work.put("command", task.command());
      work.put("args", task.args());
      work.put("env", task.env());
    } else {
      work.put("type", String.valueOf(task.type()));
      if (task.input() != null) {
        work.put("input", task.input());
      }
    }
    sql.of(
            """
            insert into @remote_work
              (tenant, job_id, attempt, kind, accepted, wanted_agent, labels, work, hand_on,
               timeout_millis, pickup_millis, due_at)
            values (:tenant, :job, :attempt, 'AGENT', true, :agent, cast(:labels as jsonb), :work,
                    :handOn, :timeout, :pickup,
                    clock_timestamp() + :pickup * interval '1 millisecond')
            on conflict do nothing
            """)
        .param("tenant", job.lane().tenant())
        .param("job", job.id().value())
        .param("attempt", job.attempt())
        .param("agent", task.agent())
        .param("labels", json.writeValueAsString(task.labels()))
        .param("work", json.writeValueAsString(work))
        .param("handOn", task.onLoss() == AgentTask.OnLoss.HAND_ON)
        .param("timeout", Duration.parse(task.timeout()).toMillis())
        .param("pickup", pickup.toMillis())
        .update();
    offered();
  }

  /** Tells those who listen that there may be work. */
  void offered() {
    listeners.forEach(Runnable::run);
  }

  /** Gives an agent up to so much work that it may do, oldest first. */
  List<Leased> lease(String tenant, String agent, int most) {
    return sql
        .of(
            """
            with picked as (
              select w.id from @remote_work w
                join @agent a on a.tenant = w.tenant and a.name = :agent
               where w.tenant = :tenant and w.state = 'WAITING' and w.kind = 'AGENT'
                 and (w.wanted_agent is null or w.wanted_agent = :agent)
                 and w.labels <@ a.labels and w.due_at > now()
                 and coalesce((select t.outcome from @@job_attempt t where t.job_id = w.job_id
                                order by t.run desc limit 1), -1) <> all (:over)
               order by w.created_at limit :most for update of w skip locked)
            update @remote_work w
               set state = 'LEASED', agent = :agent, fence = w.fence + 1,
                   leased_at = clock_timestamp(),
                   lease_until = clock_timestamp() + :lease * interval '1 millisecond',
                   due_at = clock_timestamp() + w.timeout_millis * interval '1 millisecond',
                   progress = null, doing = null
              from picked where w.id = picked.id and w.state = 'WAITING'
            returning w.id, w.fence, w.job_id, w.attempt, w.work, w.timeout_millis, w.lease_until,
                      w.created_at
            """)
        .param("agent", agent)
        .param("tenant", tenant)
        .param("most", most)
        .param("over", FinalOutcomes.codes())
        .param("lease", lease.toMillis())
        .query(this::read)
        .list()
        .stream()
        .sorted(Comparator.comparing(Row::created))
        .map(Row::leased)
        .toList();
  }

  private Row read(ResultSet row, int number) throws SQLException {
    JsonNode work = json.readTree(row.getString("work"));
    Map<String, String> trace = new LinkedHashMap<>();
    work.path(TRACE)
        .properties()
        .forEach(each -> trace.put(each.getKey(), each.getValue().asString("")));
    if (work instanceof ObjectNode fields) {
      fields.remove(TRACE);
    }
    return new Row(
        new Leased(
            new AgentLease(row.getObject("id", UUID.class), row.getLong("fence")).toString(),
            String.valueOf(row.getLong("job_id")),
            row.getInt("attempt"),
            work,
            Duration.ofMillis(row.getLong("timeout_millis")).toString(),
            row.getTimestamp("lease_until").toInstant(),
            trace),
        row.getTimestamp("created_at").toInstant());
  }

  /** Returns for which of these agents there is work, by one look for all of them. */
  List<AgentName> wanted(List<AgentName> waiting) {
    return sql.of(
            """
            select w.tenant, w.name from unnest(:tenants::text[], :names::text[]) as w(tenant, name)
              join @agent a on a.tenant = w.tenant and a.name = w.name
             where exists (select from @remote_work r
                            where r.tenant = w.tenant and r.state = 'WAITING' and r.kind = 'AGENT'
                              and (r.wanted_agent is null or r.wanted_agent = w.name)
                              and r.labels <@ a.labels)
            """)
        .param("tenants", waiting.stream().map(AgentName::tenant).toArray(String[]::new))
        .param("names", waiting.stream().map(AgentName::name).toArray(String[]::new))
        .query((row, number) -> new AgentName(row.getString(1), row.getString(2)))
        .list();
  }

  /** Takes work back that its agent has not begun, or does not want to end. */
  int returnToQueue(AgentName agent, List<AgentLease> leases) {
    return sql.of(
            """
            update @remote_work w
               set state = 'WAITING', lease_until = null, progress = null, doing = null,
                   due_at = clock_timestamp() + w.pickup_millis * interval '1 millisecond'
              from unnest(:works::uuid[], :fences::bigint[]) as l(work, fence)
             where w.id = l.work and w.fence = l.fence and w.tenant = :tenant and w.agent = :agent
               and w.state = 'LEASED'
            """)
        .param("works", works(leases))
        .param("fences", fences(leases))
        .param("tenant", agent.tenant())
        .param("agent", agent.name())
        .update();
  }

  static String[] works(List<AgentLease> leases) {
    return leases.stream().map(each -> each.work().toString()).toArray(String[]::new);
  }

  static Long[] fences(List<AgentLease> leases) {
    return leases.stream().map(AgentLease::fence).toArray(Long[]::new);
  }
}
