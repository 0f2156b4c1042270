package dev.monotick.server.tenant;

import dev.monotick.server.database.Sql;
import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.ServerSettings;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Counts the jobs that a tenant made since the full hour (UTC), by the clock of the database. Jobs
 * are forgotten long before the hour is over, so they are counted when they are made, in the same
 * transaction and under the lock of the tenant. Where there is no limit nobody counts, since those
 * who add jobs would wait for each other; a limit counts from when it is set.
 */
@Component
class JobsPerHour implements QuotaUse, TenantCleanup {

  private final Sql sql;
  private final ServerSettings settings;

  JobsPerHour(Sql sql, ServerSettings settings) {
    this.sql = sql;
    this.settings = settings;
  }

  @Override
  public Quota quota() {
    return Quota.JOBS_PER_HOUR;
  }

  @Override
  public long used(String tenant) {
    return sql.of(
            """
            select coalesce(sum(jobs), 0)::bigint from @job_creation
             where tenant = :tenant and hour = date_trunc('hour', clock_timestamp(), 'UTC')
            """)
        .param("tenant", tenant)
        .query(Long.class)
        .single();
  }

  void made(String tenant, long jobs) {
    sql.of(
            """
            insert into @job_creation as c (tenant, hour, jobs)
            select :tenant, date_trunc('hour', clock_timestamp(), 'UTC'), :jobs
              from @tenant where name = :tenant and coalesce(jobs_per_hour, :usual) >= 0
            on conflict (tenant) do update
               set hour = excluded.hour,
                   jobs = case when c.hour = excluded.hour then c.jobs else 0 end + excluded.jobs
            """)
        .param("tenant", tenant)
        .param("jobs", jobs)
        .param("usual", settings.get(JobSettings.JOBS_PER_HOUR))
        .update();
  }

  /** Returns how long it is until the hour is over. */
  Duration left() {
    return sql.of(
            """
            select extract(epoch from date_trunc('hour', n, 'UTC') + interval '1 hour' - n) * 1000
              from clock_timestamp() as n
            """)
        .query((row, number) -> Duration.ofMillis(row.getLong(1)))
        .single();
  }

  @Override
  public void cleanUp(String tenant) {
    sql.of("delete from @job_creation where tenant = :tenant").param("tenant", tenant).update();
  }
}
