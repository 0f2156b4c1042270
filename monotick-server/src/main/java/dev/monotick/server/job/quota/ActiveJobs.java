package dev.monotick.server.job.quota;

import dev.monotick.server.database.Sql;
import dev.monotick.server.tenant.Quota;
import dev.monotick.server.tenant.QuotaUse;
import org.springframework.stereotype.Component;

/**
 * Counts a tenant's jobs that have not ended. Whatever moves a job writes by how much the counts
 * change in the same transaction, so their sum is exact; rows are added to the sums by one
 * statement, so one statement sees each change once.
 */
@Component
class ActiveJobs implements QuotaUse {

  private final Sql sql;

  ActiveJobs(Sql sql) {
    this.sql = sql;
  }

  @Override
  public Quota quota() {
    return Quota.ACTIVE_JOBS;
  }

  @Override
  public long used(String tenant) {
    return sql.of(
            """
            select coalesce(sum(c.waiting + c.ready + c.running), 0)::bigint
              from (select lane, waiting, ready, running from @@job_count
                    union all
                    select lane, waiting, ready, running from @@job_count_delta) c
              join @@job_lane l on l.id = c.lane
             where l.tenant = :tenant
            """)
        .param("tenant", tenant)
        .query(Long.class)
        .single();
  }
}
