package dev.monotick.server.tenant;

import dev.monotick.job.Jobs;
import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The tenants of an installation. What changes them is called in a transaction. */
@Component
class TenantTable {

  /** Who calls for no tenant is taken to mean this one, so it is always there. */
  private static final String DEFAULT = "default";

  private final Sql sql;
  private final Jobs jobs;
  private final Quotas quotas;
  private final List<TenantCleanup> cleanups;

  TenantTable(Sql sql, Jobs jobs, Quotas quotas, List<TenantCleanup> ends) {
    this.sql = sql;
    this.jobs = jobs;
    this.quotas = quotas;
    this.cleanups = ends;
  }

  TenantView create(String name, TenantChange wanted) {
    int added =
        sql.of("insert into @tenant (name) values (:name) on conflict (name) do nothing")
            .param("name", name)
            .update();
    if (added == 0) {
      throw Problem.conflict("exists", "there is a tenant " + name + " already");
    }
    apply(name, wanted, 1);
    jobs.setTenantWeight(name, wanted.weight().orElse(1));
    return get(name);
  }

  Optional<TenantView> find(String name) {
    return sql.of("select * from @tenant where name = :name")
        .param("name", name)
        .query((row, number) -> TenantView.read(row))
        .optional();
  }

  TenantView get(String name) {
    return find(name).orElseThrow(() -> Problem.notFound("tenant", name));
  }

  List<TenantView> list(String after, int limit) {
    return sql.of("select * from @tenant where name > :after order by name limit :limit")
        .param("after", after)
        .param("limit", limit)
        .query((row, number) -> TenantView.read(row))
        .list();
  }

  /** Locks a tenant, so that nobody else changes it, and returns its version. */
  long lock(String name) {
    return locked(name, "select version from @tenant where name = :name for no key update");
  }

  /** Locks a tenant, so that nobody adds anything to it, and returns its version. */
  long lockForDeletion(String name) {
    return locked(name, "select version from @tenant where name = :name for update");
  }

  private long locked(String name, String statement) {
    return sql.of(statement)
        .param("name", name)
        .query(Long.class)
        .optional()
        .orElseThrow(() -> Problem.notFound("tenant", name));
  }

  /** Changes a tenant that is locked. */
  TenantView change(String name, TenantChange wanted, long version) {
    apply(name, wanted, version + 1);
    wanted.weight().ifPresent(weight -> jobs.setTenantWeight(name, weight));
    return get(name);
  }

  private void apply(String name, TenantChange wanted, long version) {
    sql.of(
            """
            update @tenant
               set title = coalesce(:title, title), weight = coalesce(:weight, weight),
                   suspended = coalesce(:suspended, suspended),
                   retained_policy = coalesce(:policy, retained_policy), version = :version
             where name = :name
            """)
        .param("title", wanted.title().orElse(null), java.sql.Types.VARCHAR)
        .param("weight", wanted.weight().orElse(null), java.sql.Types.INTEGER)
        .param("suspended", wanted.suspended().orElse(null), java.sql.Types.BOOLEAN)
        .param("policy", wanted.retainedPolicy().orElse(null), java.sql.Types.VARCHAR)
        .param("version", version)
        .param("name", name)
        .update();
    for (Map.Entry<Quota, @Nullable Long> each : wanted.quotas().entrySet()) {
      JdbcClient.StatementSpec update =
          sql.composed(
              "update @tenant set " + each.getKey().column() + " = :limit where name = :name");
      update.param("limit", each.getValue(), java.sql.Types.BIGINT).param("name", name).update();
    }
  }

  /** Deletes a tenant that is locked and has nothing any more. */
  void delete(String name) {
    if (name.equals(DEFAULT)) {
      throw Problem.conflict("in-use", "tenant " + DEFAULT + " cannot be deleted; suspend it");
    }
    List<String> left = new ArrayList<>();
    for (Quota quota : List.of(Quota.ACTIVE_JOBS, Quota.SCHEDULES, Quota.AGENTS)) {
      long used = quotas.used(name, quota);
      if (used > 0) {
        left.add(used + " " + quota.field());
      }
    }
    if (!left.isEmpty()) {
      throw Problem.conflict(
              "not-empty",
              "tenant " + name + " still has " + String.join(", ", left) + "; delete these first")
          .with("left", left);
    }
    cleanups.forEach(each -> each.cleanUp(name));
    sql.of("delete from @api_key where tenant = :name").param("name", name).update();
    sql.of("delete from @quota_refusal where tenant = :name").param("name", name).update();
    sql.of("delete from @tenant where name = :name").param("name", name).update();
  }
}
