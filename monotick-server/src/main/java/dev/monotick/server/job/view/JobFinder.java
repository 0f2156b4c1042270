package dev.monotick.server.job.view;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import java.util.List;
import org.springframework.stereotype.Component;

/** Finds jobs of the caller's tenant; those of others are not there. */
@Component
public class JobFinder {

  private final Jobs jobs;
  private final Sql sql;

  JobFinder(Jobs jobs, Sql sql) {
    this.jobs = jobs;
    this.sql = sql;
  }

  public Job find(Caller caller, String id) {
    JobId wanted;
    try {
      wanted = JobId.parse(id);
    } catch (IllegalArgumentException e) {
      throw Problem.notFound("job", id);
    }
    return jobs.find(wanted)
        .filter(job -> isOf(job, caller.tenant()))
        .orElseThrow(() -> Problem.notFound("job", id));
  }

  /** Jobs of nobody belong to the application that embeds the engine, and to no tenant. */
  static boolean isOf(Job job, String tenant) {
    return !tenant.isEmpty() && job.lane().tenant().equals(tenant);
  }

  /** Returns those of these jobs that the tenant has. */
  public List<JobId> owned(String tenant, List<JobId> ids) {
    if (tenant.isEmpty() || ids.isEmpty()) {
      return List.of();
    }
    return sql
        .of(
            """
            select j.id from @@job j join @@job_lane l on l.id = j.lane
             where j.id = any (:ids) and l.tenant = :tenant
            """)
        .param("ids", ids.stream().map(JobId::value).toArray(Long[]::new))
        .param("tenant", tenant)
        .query((row, number) -> row.getLong(1))
        .list()
        .stream()
        .map(JobId::new)
        .sorted()
        .toList();
  }
}
