package dev.monotick.server.job;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.QuotaUse;
import dev.monotick.server.tenant.TenantEnd;
import java.util.List;
import org.springframework.stereotype.Component;

/** Counts a tenant's jobs on record, and forgets them when the tenant goes. */
@Component
class RetainedJobs implements QuotaUse, TenantEnd {

  private static final int PIECE = 5_000;

  private final Sql sql;

  RetainedJobs(Sql sql) {
    this.sql = sql;
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

  /** Forgets those that are over, are no dead letters and did not end within the grace period. */
  long forget(List<Long> ids, long graceMillis) {
    return sql.of(
            "select @@job_forget(:ids, clock_timestamp() - :grace * interval '1 millisecond')")
        .param("ids", ids.toArray(Long[]::new))
        .param("grace", graceMillis)
        .query(Long.class)
        .single();
  }

  @Override
  public void end(String tenant) {
    long dead = dead(tenant);
    if (dead > 0) {
      throw Problem.conflict(
              "not-empty",
              "tenant " + tenant + " still has " + dead + " dead letters; purge them first")
          .with("left", List.of(dead + " deadLetters"));
    }
    List<Long> some = oldest(tenant, 0, PIECE);
    while (!some.isEmpty()) {
      forget(some, 0);
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
