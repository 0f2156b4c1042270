package dev.monotick.server.job.control;

import dev.monotick.job.JobLimit;
import dev.monotick.job.Jobs;
import dev.monotick.server.access.Caller;
import dev.monotick.server.audit.AuditEntry;
import dev.monotick.server.audit.AuditTrail;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import dev.monotick.server.web.EntityTags;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Limits on jobs: how many run at a time and how many begin in a while, over all replicas. The
 * engine keeps and obeys them. Here is who changed which; the row of that is locked while one is
 * changed, so that changes of the same limit come one after the other.
 */
@Component
class Limits {

  private final Sql sql;
  private final Jobs jobs;
  private final AuditTrail audit;

  /**
   * A limit.
   *
   * @param kind whose jobs it bounds; null for all kinds
   * @param tenant whose jobs it bounds; null for all tenants together, {@code *} for each apart
   * @param perKey whether each limit key has it for itself
   * @param running at most so many at a time
   * @param rate at most so many begin in a while
   * @param runningNow how many of those it counts run; the most of one, where it counts several
   *     apart
   * @param version what its ETag says; 0 if it was not set over REST
   * @param note why, for people
   */
  record Limit(
      @Nullable String kind,
      @Nullable String tenant,
      boolean perKey,
      @Nullable Integer running,
      @Nullable Rate rate,
      long runningNow,
      long version,
      @Nullable String note,
      @Nullable String changedBy,
      @Nullable Instant changedAt) {}

  /**
   * So many in a while.
   *
   * @param count how many
   * @param period in which time
   */
  record Rate(int count, Duration period) {}

  Limits(Sql sql, Jobs jobs, AuditTrail audit) {
    this.sql = sql;
    this.jobs = jobs;
    this.audit = audit;
  }

  private static final String SELECT =
      """
      select l.kind, l.tenant, l.per_key, l.running, l.rate_count, l.rate_millis,
             coalesce(c.version, 0) as version, c.note, c.changed_by, c.changed_at,
             coalesce((select max(u.running) from @@job_limit_use u
                        where u.limit_id = l.id
                          and u.tenant in ('', coalesce(cast(:tenant as text), u.tenant))), 0)
               as running_now
        from @@job_limit l
        left join @limit_change c
          on c.kind = l.kind and c.tenant = l.tenant and c.per_key = l.per_key
      """;

  /** Returns the limits that bind a tenant, or all. */
  List<Limit> all(Optional<String> tenant) {
    return sql.of(
            SELECT
                + """
                 where l.tenant in ('', '*', coalesce(cast(:tenant as text), l.tenant))
                 order by l.kind, l.tenant, l.per_key
                """)
        .param("tenant", tenant.orElse(null))
        .query((row, number) -> read(row))
        .list();
  }

  /** Returns the limit of a scope, if there is one. */
  Optional<Limit> find(JobLimit.Scope scope) {
    return sql.of(SELECT + " where l.kind = :kind and l.tenant = :of and l.per_key = :perKey")
        .param("tenant", null)
        .param("kind", scope.kind())
        .param("of", scope.tenant())
        .param("perKey", scope.perKey())
        .query((row, number) -> read(row))
        .optional();
  }

  private static Limit read(ResultSet row) throws SQLException {
    Integer count = row.getObject("rate_count", Integer.class);
    return new Limit(
        given(row.getString("kind")),
        given(row.getString("tenant")),
        row.getBoolean("per_key"),
        row.getObject("running", Integer.class),
        count == null ? null : new Rate(count, Duration.ofMillis(row.getLong("rate_millis"))),
        row.getLong("running_now"),
        row.getLong("version"),
        row.getString("note"),
        row.getString("changed_by"),
        Optional.ofNullable(row.getTimestamp("changed_at")).map(Timestamp::toInstant).orElse(null));
  }

  private static @Nullable String given(String text) {
    return text.isEmpty() ? null : text;
  }

  /** Sets a limit; says whether there was none of that scope. */
  boolean set(Caller caller, JobLimit limit, String note, @Nullable String ifMatch) {
    return sql.transaction(
        () -> {
          long version = lock(limit.scope());
          boolean isNew = find(limit.scope()).isEmpty();
          if (isNew) {
            EntityTags.optional(ifMatch, version);
          } else {
            EntityTags.require(ifMatch, version);
          }
          note(caller, limit.scope(), note);
          jobs.limit(limit);
          audit.append(entry(caller, "limit_set", limit.scope(), detail(limit, note)));
          return isNew;
        });
  }

  /** Removes one. */
  void remove(Caller caller, JobLimit.Scope scope, @Nullable String ifMatch) {
    sql.inTransaction(
        () -> {
          long version = lock(scope);
          if (find(scope).isEmpty()) {
            throw Problem.notFound("limit", words(scope));
          }
          EntityTags.require(ifMatch, version);
          note(caller, scope, "");
          boolean unused = jobs.removeLimit(scope);
          audit.append(entry(caller, "limit_removed", scope, Map.of()));
        });
  }

  /** Says whether there is such a tenant. */
  boolean isTenant(String name) {
    return sql.of("select count(*) from @tenant where name = :name")
            .param("name", name)
            .query(Long.class)
            .single()
        > 0;
  }

  /** Versions stay when a limit goes, so that one that was seen is never another. */
  private long lock(JobLimit.Scope scope) {
    return sql.of(
            """
            insert into @limit_change as c (kind, tenant, per_key)
            values (:kind, :tenant, :perKey)
            on conflict (kind, tenant, per_key) do update set version = c.version
            returning version
            """)
        .param("kind", scope.kind())
        .param("tenant", scope.tenant())
        .param("perKey", scope.perKey())
        .query((row, number) -> row.getLong(1))
        .single();
  }

  private void note(Caller caller, JobLimit.Scope scope, String note) {
    sql.of(
            """
            update @limit_change
               set version = version + 1, note = :note, changed_by = :by, changed_at = now()
             where kind = :kind and tenant = :tenant and per_key = :perKey
            """)
        .param("note", note)
        .param("by", caller.name())
        .param("kind", scope.kind())
        .param("tenant", scope.tenant())
        .param("perKey", scope.perKey())
        .update();
  }

  private static Map<String, Object> detail(JobLimit limit, String note) {
    Map<String, Object> detail = new LinkedHashMap<>();
    limit.running().ifPresent(running -> detail.put("running", running));
    limit
        .rate()
        .ifPresent(rate -> detail.put("rate", rate.count() + " per " + rate.period().toString()));
    detail.put("note", note);
    return detail;
  }

  private static AuditEntry entry(
      Caller caller, String action, JobLimit.Scope scope, Map<String, Object> detail) {
    return new AuditEntry(
        AuditEntry.INSTALLATION,
        caller.name(),
        caller.type(),
        action,
        "limit/" + words(scope),
        detail);
  }

  /** Names a scope as the query of its address does. */
  static String words(JobLimit.Scope scope) {
    return (scope.kind().isEmpty() ? "" : "kind=" + scope.kind())
        + (scope.kind().isEmpty() || scope.tenant().isEmpty() ? "" : "&")
        + (scope.tenant().isEmpty() ? "" : "tenant=" + scope.tenant())
        + (scope.perKey() ? "&perKey=true" : "");
  }
}
