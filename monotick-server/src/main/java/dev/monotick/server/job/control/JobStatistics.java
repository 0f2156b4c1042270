package dev.monotick.server.job.control;

import dev.monotick.server.database.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Sums up the engine's counts, which every change of a job keeps. */
@Component
class JobStatistics {

  private static final String SUMS =
      """
      coalesce(sum(waiting), 0)::bigint as waiting, coalesce(sum(ready), 0)::bigint as ready,
      coalesce(sum(running), 0)::bigint as running, coalesce(sum(succeeded), 0)::bigint as succeeded,
      coalesce(sum(failed), 0)::bigint as failed, coalesce(sum(dead), 0)::bigint as dead,
      coalesce(sum(ended), 0)::bigint as ended
        from (select lane, waiting, ready, running, succeeded, failed, dead, ended from @@job_count
              union all
              select lane, waiting, ready, running, succeeded, failed, dead, ended from @@job_count_delta) c
        join @@job_lane l on l.id = c.lane
       where l.tenant <> '' and l.tenant = coalesce(cast(:tenant as text), l.tenant)
      """;

  private final Sql sql;

  /** What jobs are counted by. */
  enum By {
    /** Their queue. */
    QUEUE,
    /** Their kind. */
    KIND,
    /** Their tenant. */
    TENANT
  }

  /**
   * How many.
   *
   * @param waiting for their time, for other jobs, for approval, or for the next attempt
   * @param ready for a replica
   * @param running now
   * @param succeeded ever
   * @param failed attempts that failed, ever
   * @param dead dead letters now
   * @param ended cancelled, rejected, expired or unknown, ever
   */
  record Counts(
      long waiting, long ready, long running, long succeeded, long failed, long dead, long ended) {}

  /**
   * How many of what.
   *
   * @param name of what
   * @param counts how many
   */
  record Named(String name, Counts counts) {}

  /** None at all. */
  static final Counts NOTHING = new Counts(0, 0, 0, 0, 0, 0, 0);

  JobStatistics(Sql sql) {
    this.sql = sql;
  }

  /** Counts the jobs of a tenant, or of all. */
  Counts total(Optional<String> tenant) {
    return sql.of("select " + SUMS)
        .param("tenant", tenant.orElse(null))
        .query((row, number) -> counts(row))
        .single();
  }

  /** Counts them apart. */
  List<Named> by(By what, Optional<String> tenant) {
    String column = "l." + what.name().toLowerCase(Locale.ROOT);
    return sql.of("select " + column + " as name, " + SUMS + " group by 1 order by 1")
        .param("tenant", tenant.orElse(null))
        .query((row, number) -> new Named(row.getString("name"), counts(row)))
        .list();
  }

  private static Counts counts(ResultSet row) throws SQLException {
    return new Counts(
        row.getLong("waiting"),
        row.getLong("ready"),
        row.getLong("running"),
        row.getLong("succeeded"),
        row.getLong("failed"),
        row.getLong("dead"),
        row.getLong("ended"));
  }
}
