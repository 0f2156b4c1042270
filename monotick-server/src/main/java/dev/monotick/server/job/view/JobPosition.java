package dev.monotick.server.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.server.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Looks up where a job stands: in its line, before its limits, after which jobs. */
@Component
class JobPosition {

  /** Counting ends here; who has so many before him need not know exactly. */
  private static final long MOST_COUNTED = 10_000;

  private final Sql sql;

  /**
   * A limit that a job is bound by, and how much of it is in use.
   *
   * @param rate so many in so many milliseconds, for people; empty if it has none
   * @param again when its rate allows the next; empty if it does now
   */
  record Use(
      String kind,
      String tenant,
      boolean perKey,
      Optional<Integer> most,
      int running,
      Optional<String> rate,
      Optional<Instant> again) {

    boolean isFull() {
      return (most.isPresent() && running >= most.get()) || again.isPresent();
    }

    String words() {
      return again
          .map(at -> rate.orElse("") + " of it begin, the next at " + at)
          .orElseGet(() -> running + " of " + most.orElse(0) + " run already");
    }
  }

  JobPosition(Sql sql) {
    this.sql = sql;
  }

  /** Returns when somebody's approval was asked for, if it is. */
  Optional<Instant> askedAt(JobId id) {
    return sql.of("select asked_at from @@job_approval where id = :id")
        .param("id", id.value())
        .query((row, number) -> row.getTimestamp(1).toInstant())
        .optional();
  }

  /** Returns how many jobs before it have not ended, if it waits for any. */
  Optional<Integer> pending(JobId id) {
    return sql.of("select pending from @@job_wait where id = :id")
        .param("id", id.value())
        .query(Integer.class)
        .optional();
  }

  /** Returns the jobs it comes after; those added together have numbers of one millisecond. */
  List<String> comesAfter(JobId id, int most) {
    return sql.of(
            """
            select id::text from @@job
             where next_id = :id and id >= (:id >> 22) << 22 and id < ((:id >> 22) + 1) << 22
             order by id limit :most
            """)
        .param("id", id.value())
        .param("most", most)
        .query((row, number) -> row.getString(1))
        .list();
  }

  /** Says whether it stands aside until a run of its key ends. */
  boolean isBlocked(JobId id) {
    return sql.of("select count(*) from @@job_blocked where id = :id")
            .param("id", id.value())
            .query(Long.class)
            .single()
        > 0;
  }

  /** Counts the jobs of its lane that are claimed before it; what came back is claimed first. */
  long ahead(Job job) {
    return sql.of(
            """
            with lane as (
              select id from @@job_lane
               where queue = :queue and kind = :kind and tenant = :tenant and priority = :priority),
            head as (
              select exists (select from @@job_ready r, lane where r.lane = - lane.id and r.id = :id)
                as it)
            select count(*) from (
              (select 1 from @@job_ready r, lane, head
                where r.lane = - lane.id and (not head.it or r.id < :id) limit :most)
              union all
              (select 1 from @@job_ready r, lane, head
                where r.lane = lane.id and not head.it and r.id < :id limit :most)) x
            """)
        .param("queue", job.lane().queue())
        .param("kind", job.lane().kind())
        .param("tenant", job.lane().tenant())
        .param("priority", job.lane().priority())
        .param("id", job.id().value())
        .param("most", MOST_COUNTED)
        .query(Long.class)
        .single();
  }

  /** Returns the tenant's share of a queue among those who have jobs ready in it, in percent. */
  double share(Job job) {
    return sql.of(
            """
            with busy as (
              select l.tenant, coalesce(max(t.weight), 1) as weight
                from (select lane, ready from @@job_count
                      union all select lane, ready from @@job_count_delta) c
                join @@job_lane l on l.id = c.lane
                left join @@job_tenant t on t.tenant = l.tenant
               where l.queue = :queue
               group by l.tenant
              having sum(c.ready) > 0 or l.tenant = :tenant)
            select coalesce(sum(weight) filter (where tenant = :tenant) * 100.0 / sum(weight), 100)
              from busy
            """)
        .param("queue", job.lane().queue())
        .param("tenant", job.lane().tenant())
        .query(Double.class)
        .single();
  }

  /** Returns the limits that bind a job. */
  List<Use> limits(Job job) {
    return sql.of(
            """
            select l.kind, l.tenant, l.per_key, l.running as most,
                   coalesce(max(u.running), 0) as running, l.rate_count, l.rate_millis,
                   now() + nullif(greatest(0, 1 - 1e-6 - min(u.tokens
                       + greatest(extract(epoch from now() - u.refilled_at), 0) * 1000
                         / l.rate_millis * l.rate_count)), 0)
                     * l.rate_millis / l.rate_count * interval '1 millisecond' as again
              from @@job_limit l
              left join @@job_limit_use u
                on u.limit_id = l.id and u.tenant in ('', :tenant)
               and u.key = case when l.per_key then :key else '' end
             where l.kind in ('', :kind) and l.tenant in ('', '*', :tenant)
               and (not l.per_key or :key <> '')
             group by l.id
             order by l.id
            """)
        .param("tenant", job.lane().tenant())
        .param("kind", job.lane().kind())
        .param("key", job.limitKey().orElse(""))
        .query((row, number) -> use(row))
        .list();
  }

  private static Use use(ResultSet row) throws SQLException {
    Integer count = row.getObject("rate_count", Integer.class);
    return new Use(
        row.getString("kind"),
        row.getString("tenant"),
        row.getBoolean("per_key"),
        Optional.ofNullable(row.getObject("most", Integer.class)),
        row.getInt("running"),
        count == null
            ? Optional.empty()
            : Optional.of(count + " in " + Duration.ofMillis(row.getLong("rate_millis"))),
        Optional.ofNullable(row.getTimestamp("again")).map(Timestamp::toInstant));
  }

  /** Returns how many replicas are alive. */
  long replicas() {
    return sql.of("select count(*) from @@replica where gone_at is null")
        .query(Long.class)
        .single();
  }

  /** Says what a limit is about, for people. */
  static Map<String, Object> shown(Use use) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("kind", use.kind().isEmpty() ? "all" : use.kind());
    shown.put("tenant", use.tenant().isEmpty() ? "all" : use.tenant());
    shown.put("perKey", use.perKey());
    use.most().ifPresent(most -> shown.put("limit", most));
    shown.put("running", use.running());
    use.rate().ifPresent(rate -> shown.put("rate", rate));
    use.again().ifPresent(at -> shown.put("nextAt", at.toString()));
    return shown;
  }
}
