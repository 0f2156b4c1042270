package dev.monotick.server.key;

import dev.monotick.server.database.Sql;
import dev.monotick.server.problem.Problem;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** What is known of keys, without what proves them. Whose: a tenant, or empty for none. */
@Component
class KeyRecords {

  private static final String COLUMNS =
      "select id, name, role, tenant, created_at, created_by, expires_at, revoked_at, last_used_at,"
          + " version, agent from @api_key where tenant is not distinct from cast(:tenant as text)";

  private final Sql sql;

  KeyRecords(Sql sql) {
    this.sql = sql;
  }

  List<KeyView> list(Optional<String> tenant, String after, int limit) {
    return sql.of(COLUMNS + " and id > :after order by id limit :limit")
        .param("tenant", tenant.orElse(null))
        .param("after", after)
        .param("limit", limit)
        .query((row, number) -> KeyView.read(row))
        .list();
  }

  KeyView get(Optional<String> tenant, String id) {
    return one(COLUMNS + " and id = :id", tenant, id);
  }

  /** Locks a key and returns it. */
  KeyView lock(Optional<String> tenant, String id) {
    return one(COLUMNS + " and id = :id for update", tenant, id);
  }

  private KeyView one(String query, Optional<String> tenant, String id) {
    return sql.of(query)
        .param("tenant", tenant.orElse(null))
        .param("id", id)
        .query((row, number) -> KeyView.read(row))
        .optional()
        .orElseThrow(() -> Problem.notFound("key", id));
  }

  /** Has a key that was just made speak for one agent alone. */
  void bind(String id, String agent) {
    sql.of("update @api_key set agent = :agent where id = :id")
        .param("agent", agent)
        .param("id", id)
        .update();
  }

  /** Revokes a key that is locked; it stays on record. */
  void revoke(String id) {
    sql.of(
            """
            update @api_key set revoked_at = now(), version = version + 1
             where id = :id and revoked_at is null
            """)
        .param("id", id)
        .update();
  }

  /**
   * Refuses to go on if no other key can administer the installation: those who ask at the same
   * time wait for each other at the rows of the keys, in the order of their names.
   */
  void requireAnotherAdmin(String id) {
    long others =
        sql
            .of(
                """
                select id from @api_key
                 where tenant is null and role = 'ADMIN' and revoked_at is null
                   and (expires_at is null or expires_at > now())
                 order by id for update
                """)
            .query((row, number) -> row.getString(1))
            .list()
            .stream()
            .filter(each -> !each.equals(id))
            .count();
    if (others == 0) {
      throw Problem.conflict(
          "last-admin", "key " + id + " is the last that can administer this installation");
    }
  }

  /** Keeps a tenant from going while something is made for it. */
  void requireTenant(String tenant) {
    boolean found =
        sql.of("select name from @tenant where name = :tenant for key share")
            .param("tenant", tenant)
            .query(String.class)
            .optional()
            .isPresent();
    if (!found) {
      throw Problem.notFound("tenant", tenant);
    }
  }
}
