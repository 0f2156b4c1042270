package dev.monotick.server.agent;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.remote.FinalOutcomes;
import dev.monotick.server.remote.RemoteWorks;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What agents say about the work they have. Each statement names agent and fence: what comes from
 * an agent whose work was handed on changes nothing, and is told so.
 */
@Component
class AgentReports {

  private static final int MOST_LINES = 10_000;
  private static final int LONGEST_OUTPUT = 131_072;
  private static final int LONGEST_RESULT = 900_000;
  private static final int LONGEST_ERROR = 7_000;

  private final Sql sql;
  private final AgentTable agents;
  private final RemoteWorks works;
  private final JsonMapper json;

  /**
   * What became of leases.
   *
   * @param renewed those that go on, and until when
   * @param cancelled those whose job was called off: stop
   * @param lost those that somebody else has, or nobody waits for: stop
   */
  record Renewal(Map<String, Instant> renewed, List<String> cancelled, List<String> lost) {}

  /**
   * What an agent says about the end of work.
   *
   * @param exitCode of a command
   * @param output the beginning of what it wrote
   * @param result what came out, if it is more than text
   * @param error what happened
   * @param permanent whether another attempt would not mend that
   */
  record AgentOutcome(
      Optional<Integer> exitCode,
      Optional<String> output,
      Optional<JsonNode> result,
      Optional<String> error,
      boolean permanent) {}

  private record FinalState(
      String state, @Nullable String result, @Nullable String error, boolean permanent) {}

  private record EndedJob(long job, Instant at) {}

  AgentReports(Sql sql, AgentTable agents, RemoteWorks works, JsonMapper json) {
    this.sql = sql;
    this.agents = agents;
    this.works = works;
    this.json = json;
  }

  /** Renews leases. */
  Renewal renew(AgentName agent, List<AgentLease> leases, long leaseMillis) {
    callOff(agent);
    Map<String, Instant> renewed = new HashMap<>();
    sql.of(
            """
            update @remote_work w
               set lease_until = clock_timestamp() + :lease * interval '1 millisecond'
              from unnest(:works::uuid[], :fences::bigint[]) as l(work, fence)
             where w.id = l.work and w.fence = l.fence and w.tenant = :tenant and w.agent = :agent
               and w.state = 'LEASED'
            returning w.id, w.fence, w.lease_until
            """)
        .param("lease", leaseMillis)
        .param("works", AgentQueue.works(leases))
        .param("fences", AgentQueue.fences(leases))
        .param("tenant", agent.tenant())
        .param("agent", agent.name())
        .query(
            row -> {
              renewed.put(
                  new AgentLease(row.getObject(1, UUID.class), row.getLong(2)).toString(),
                  row.getTimestamp(3).toInstant());
            });
    List<String> cancelled = new ArrayList<>();
    List<String> lost = new ArrayList<>();
    for (AgentLease each : leases) {
      if (!renewed.containsKey(each.toString())) {
        boolean calledOff = state(agent, each).equals(Optional.of("CANCELLED"));
        (calledOff ? cancelled : lost).add(each.toString());
      }
    }
    return new Renewal(renewed, cancelled, lost);
  }

  /** Work whose job is over is called off here at once, and by the sweep if its agent is silent. */
  private void callOff(AgentName agent) {
    sql.of(
            """
            update @remote_work w
               set state = 'CANCELLED', taken = true, ended_at = clock_timestamp()
             where w.tenant = :tenant and w.agent = :agent and w.state = 'LEASED'
               and (select a.outcome from @@job_attempt a
                     where a.job_id = w.job_id order by a.run desc limit 1) = any (:over)
            """)
        .param("tenant", agent.tenant())
        .param("agent", agent.name())
        .param("over", FinalOutcomes.codes())
        .update();
  }

  private Optional<String> state(AgentName agent, AgentLease lease) {
    return sql.of(
            """
            select state from @remote_work
             where id = :id and fence = :fence and tenant = :tenant and agent = :agent
            """)
        .param("id", lease.work())
        .param("fence", lease.fence())
        .param("tenant", agent.tenant())
        .param("agent", agent.name())
        .query(String.class)
        .optional();
  }

  /** Records how far work is. */
  void progress(
      AgentName agent, AgentLease lease, @Nullable Double progress, @Nullable String doing) {
    int changed =
        sql.of(
                """
                update @remote_work
                   set progress = coalesce(cast(:progress as float8), progress),
                       doing = coalesce(:doing, doing)
                 where id = :id and fence = :fence and tenant = :tenant and agent = :agent
                   and state = 'LEASED'
                """)
            .param("progress", progress)
            .param("doing", doing)
            .param("id", lease.work())
            .param("fence", lease.fence())
            .param("tenant", agent.tenant())
            .param("agent", agent.name())
            .update();
    if (changed == 0) {
      throw lost(agent, lease);
    }
  }

  /** Adds lines to the job's log. */
  void log(AgentName agent, AgentLease lease, List<String> lines) {
    Boolean known =
        sql.of(
                """
                with mine as (
                  update @remote_work set lines = lines + :count
                   where id = :id and fence = :fence and tenant = :tenant and agent = :agent
                     and state = 'LEASED'
                  returning job_id, lines),
                added as (
                  insert into @@job_log (job_id, at, text)
                  select m.job_id, clock_timestamp(), l.text
                    from mine m, unnest(:lines::text[]) with ordinality as l(text, place)
                   where m.lines <= :most order by l.place)
                select exists (select from mine)
                """)
            .param("count", lines.size())
            .param("id", lease.work())
            .param("fence", lease.fence())
            .param("tenant", agent.tenant())
            .param("agent", agent.name())
            .param("lines", lines.toArray(String[]::new))
            .param("most", MOST_LINES)
            .query(Boolean.class)
            .single();
    if (!known) {
      throw lost(agent, lease);
    }
  }

  /** Work did what it should. */
  void succeeded(AgentName agent, AgentLease lease, AgentOutcome said) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("agent", agent.name());
    said.exitCode().ifPresent(code -> result.put("exitCode", code));
    said.output().ifPresent(text -> result.put("output", cut(text, LONGEST_OUTPUT)));
    said.result().ifPresent(value -> result.put("result", value));
    String text = json.writeValueAsString(result);
    int bytes = text.getBytes(StandardCharsets.UTF_8).length; // as the job's result counts
    if (bytes > LONGEST_RESULT) {
      throw Problem.invalid(
          "result",
          "output and result must be at most "
              + LONGEST_RESULT
              + " bytes of JSON together, but are "
              + bytes
              + "; store it elsewhere and give its name");
    }
    end(agent, lease, new FinalState("DONE", text, null, false));
  }

  /** Work did not do what it should. */
  void failed(AgentName agent, AgentLease lease, AgentOutcome said) {
    String error =
        said.error().orElse(said.exitCode().map(code -> "exit code " + code).orElse("failed"))
            + " at agent "
            + agent.name()
            + said.output().filter(text -> !text.isBlank()).map(text -> "\n" + text).orElse("");
    end(agent, lease, new FinalState("FAILED", null, cut(error, LONGEST_ERROR), said.permanent()));
  }

  static String cut(String text, int most) {
    String clean = text.replace('\0', ' ');
    return clean.length() <= most ? clean : clean.substring(0, most) + "…";
  }

  /** Ends work. Saying the same twice is saying it once. */
  private void end(AgentName agent, AgentLease lease, FinalState end) {
    String state = end.state();
    Optional<EndedJob> ended =
        sql.of(
                """
                update @remote_work
                   set state = :state, result = :result, error = :error, permanent = :permanent,
                       lease_until = null, ended_at = clock_timestamp()
                 where id = :id and fence = :fence and tenant = :tenant and agent = :agent
                   and state = 'LEASED'
                returning job_id, ended_at
                """)
            .param("state", state)
            .param("result", end.result())
            .param("error", end.error())
            .param("permanent", end.permanent())
            .param("id", lease.work())
            .param("fence", lease.fence())
            .param("tenant", agent.tenant())
            .param("agent", agent.name())
            .query((row, number) -> new EndedJob(row.getLong(1), row.getTimestamp(2).toInstant()))
            .optional();
    if (ended.isPresent()) {
      works.signal(ended.get().job(), ended.get().at());
    } else if (!state(agent, lease).equals(Optional.of(state))) {
      throw lost(agent, lease);
    }
  }

  /** Returns the refusal of one who does not have the work any more, or is not known. */
  Problem lost(AgentName agent, AgentLease lease) {
    if (!agents.exists(agent)) {
      return Problem.notFound("agent", agent.name() + "; register it first");
    }
    boolean calledOff = state(agent, lease).equals(Optional.of("CANCELLED"));
    return Problem.conflict(
        calledOff ? "lease-cancelled" : "lease-lost",
        calledOff
            ? "the job of this work was called off; stop it"
            : "this work was reassigned or has ended; stop it, its outcome is no longer needed");
  }
}
