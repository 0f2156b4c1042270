package dev.monotick.server.job.quota;

import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.statistics.RollUp;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.QuotaUse;
import dev.monotick.server.tenant.TenantCleanup;
import java.util.List;
import org.springframework.stereotype.Component;

/** Counts a tenant's jobs on record, and forgets them when the tenant goes. */
@Component
public class RetainedJobs implements QuotaUse, TenantCleanup {

  private static final int PIECE = 5_000;

  private final Sql sql;
  private final Jobs jobs;
  private final RollUp statistics;

  RetainedJobs(Sql sql, Jobs jobs, RollUp statistics) {
    this.sql = sql;
    this.jobs = jobs;
    this.statistics = statistics;
  }

  @Override
  public Quota quota() {
    return Quota.RETAINED_JOBS;
  }

  @Override
  public long used(String tenant) {
    return sql.of(
            """
            select coalesce(sum(n), 0)::bigint
              from @@job_lane l
             cross join lateral (select count(*) as n from @@job j where j.lane = l.id) c
             where l.tenant = :tenant
            """)
        .param("tenant", tenant)
        .query(Long.class)
        .single();
  }

  /** Returns how many dead letters a tenant has. */
  long dead(String tenant) {
    return sql.of(
            """
            select count(*) from @@job_dead d join @@job_lane l on l.id = d.lane
             where l.tenant = :tenant
            """)
        .param("tenant", tenant)
        .query(Long.class)
        .single();
  }

  /** Returns the numbers of a tenant's oldest jobs on record after that one. */
  List<Long> oldest(String tenant, long after, int most) {
    return sql.of(
            """
            select j.id
              from @@job_lane l
             cross join lateral (
               select id from @@job where lane = l.id and id > :after order by id limit :most) j
             where l.tenant = :tenant
             order by j.id limit :most
            """)
        .param("tenant", tenant)
        .param("after", after)
        .param("most", most)
        .query((row, number) -> row.getLong(1))
        .list();
  }

  /**
   * Forgets those that are over, are no dead letters and did not end within the grace period. What
   * happened to them is in the statistics by then.
   */
  long forget(List<Long> ids, long graceMillis) {
    return sql.transaction(
        () -> {
          List<Long> over = lockOver(ids);
          if (over.isEmpty()) {
            return 0L;
          }
          statistics.ahead(over);
          return drop(over, graceMillis);
        });
  }

  /**
   * Returns how many of these jobs are on record and have ended, but are no dead letters and have
   * no unique key that outlives them: those that can be forgotten in a moment.
   */
  long ended(List<Long> ids) {
    return sql.of(
            """
            select count(*)
              from unnest(cast(:ids as bigint[])) as u(id)
              join @@job j on j.id = u.id
             cross join lateral (select outcome from @@job_attempt
                                  where job_id = u.id order by run desc limit 1) a
             where a.outcome in (0, 4, 8, 9, 10, 11)
               and not exists (select from @@job_unique q where q.job_id = u.id and q.until > now())
            """)
        .param("ids", ids.toArray(Long[]::new))
        .query(Long.class)
        .single();
  }

  /** Forgets dead letters, likewise; returns which. */
  public List<JobId> purge(List<JobId> letters) {
    statistics.aheadApart(letters.stream().map(JobId::value).toList());
    return jobs.purge(letters);
  }

  /**
   * Locks jobs and returns those that are over: nothing happens to them while they are locked, for
   * whoever brings one back locks it first.
   */
  private List<Long> lockOver(List<Long> ids) {
    List<Long> locked =
        sql.of("select id from @@job where id = any(:ids) order by id for update skip locked")
            .param("ids", ids.toArray(Long[]::new))
            .query((row, number) -> row.getLong(1))
            .list();
    if (locked.isEmpty()) {
      return locked;
    }
    return sql.of(
            "select unnest(cast(:ids as bigint[])) except select @@job_live_ids(:low, :high) order by 1")
        .param("ids", locked.toArray(Long[]::new))
        .param("low", locked.get(0))
        .param("high", locked.get(locked.size() - 1) + 1)
        .query((row, number) -> row.getLong(1))
        .list();
  }

  private long drop(List<Long> ids, long graceMillis) {
    return sql.of(
            "select @@job_delete_ended(:ids, clock_timestamp() - :grace * interval '1 millisecond')")
        .param("ids", ids.toArray(Long[]::new))
        .param("grace", graceMillis)
        .query(Long.class)
        .single();
  }

  @Override
  public void cleanUp(String tenant) {
    long dead = dead(tenant);
    if (dead > 0) {
      throw Problem.conflict(
              "not-empty",
              "tenant " + tenant + " still has " + dead + " dead letters; purge them first")
          .with("left", List.of(dead + " deadLetters"));
    }
    List<Long> some = oldest(tenant, 0, PIECE);
    while (!some.isEmpty()) {
      drop(some, 0); // its statistics go too
      some = oldest(tenant, some.get(some.size() - 1), PIECE);
    }
    long left = used(tenant);
    if (left > 0) { // the engine is not done with those that ended a moment ago
      throw Problem.conflict(
              "not-empty",
              "tenant " + tenant + " has " + left + " jobs that ended just now; try again soon")
          .with("left", List.of(left + " jobs that ended just now"));
    }
  }
}
