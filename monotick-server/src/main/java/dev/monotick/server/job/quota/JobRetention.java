package dev.monotick.server.job.quota;

import dev.monotick.job.JobId;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.job.approval.Approvals;
import dev.monotick.server.setting.JobSettings;
import dev.monotick.server.setting.ServerSettings;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Forgets the oldest jobs of tenants that have more on record than they may, unless they would
 * rather have new ones refused. Dead letters come last: only where they alone are too many are the
 * oldest of them forgotten.
 */
@Configuration(proxyBeanMethods = false)
class JobRetention {

  private static final int PIECE = 2_000;
  private static final int LARGEST_PURGE = 1_000;

  private final Sql sql;
  private final RetainedJobs retained;
  private final AuditTrail audit;
  private final ServerSettings settings;

  /** A tenant that has so many more on record than its limit. */
  private record Owner(String tenant, long limit, long excess) {}

  JobRetention(Sql sql, RetainedJobs retained, AuditTrail audit, ServerSettings settings) {
    this.sql = sql;
    this.retained = retained;
    this.audit = audit;
    this.settings = settings;
  }

  @Bean
  Task jobRetentionTask(Approvals approvals) {
    return Task.named("job-retention")
        .every(settings.get(JobSettings.RETENTION_INTERVAL))
        .mode(HaMode.ONE_REPLICA)
        .run(
            context -> {
              sweep();
              approvals.tidy();
            });
  }

  void sweep() {
    owners().forEach(this::trim);
  }

  /** One look for all: most tenants have no more than they may. */
  private List<Owner> owners() {
    return sql.of(
            """
            select t.name, t.most, sum(c.n)::bigint - t.most as excess
              from (select name, coalesce(retained_jobs, :usual) as most from @tenant
                     where retained_policy = 'TRIM' and coalesce(retained_jobs, :usual) >= 0) t
              join @@job_lane l on l.tenant = t.name
             cross join lateral (select count(*) as n from @@job j where j.lane = l.id) c
             group by 1, 2 having sum(c.n) > t.most
             order by 1
            """)
        .param("usual", settings.get(JobSettings.RETAINED_JOBS))
        .query(
            (row, number) ->
                new Owner(row.getString("name"), row.getLong("most"), row.getLong("excess")))
        .list();
  }

  private void trim(Owner owner) {
    long excess = owner.excess();
    long forgotten = forget(owner.tenant(), excess);
    long letters = purge(owner.tenant(), Math.min(excess - forgotten, beyond(owner)));
    if (forgotten + letters > 0) {
      audit.append(
          AuditEntry.bySystem(
              owner.tenant(),
              "jobs_forgotten",
              "jobs",
              Map.of("jobs", forgotten, "deadLetters", letters, "limit", owner.limit())));
    }
  }

  private long beyond(Owner owner) {
    return Math.max(0, retained.dead(owner.tenant()) - owner.limit());
  }

  /**
   * Forgets the oldest jobs that have ended, and returns how many. Passes over jobs that have not
   * ended. A job that has ended but must be kept for a moment is left to the next sweep, and no
   * newer one is forgotten in its place.
   */
  private long forget(String tenant, long excess) {
    long grace = settings.get(JobSettings.RETENTION_GRACE).toMillis();
    long forgotten = 0;
    long left = 0; // to the next sweep
    long after = 0;
    while (forgotten + left < excess) {
      int most = (int) Math.min(PIECE, excess - forgotten - left);
      List<Long> oldest = retained.oldest(tenant, after, most);
      if (oldest.isEmpty()) {
        break;
      }
      forgotten += retained.forget(oldest, grace);
      left += retained.ended(oldest);
      after = oldest.get(oldest.size() - 1);
    }
    return forgotten;
  }

  private long purge(String tenant, long letters) {
    if (letters <= 0) {
      return 0;
    }
    List<JobId> oldest =
        sql
            .of(
                """
                select d.id from @@job_dead d join @@job_lane l on l.id = d.lane
                 where l.tenant = :tenant order by d.id limit :most
                """)
            .param("tenant", tenant)
            .param("most", Math.min(letters, LARGEST_PURGE))
            .query((row, number) -> row.getLong(1))
            .list()
            .stream()
            .map(JobId::new)
            .toList();
    return retained.purge(oldest).size();
  }
}
