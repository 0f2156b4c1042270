package dev.monotick.server.tenant;

import io.swagger.v3.oas.annotations.media.Schema;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tenant as REST shows it.
 *
 * @param name its name
 * @param title what people call it
 * @param weight its share among tenants
 * @param suspended whether nobody may act for it
 * @param retainedPolicy TRIM or REFUSE
 * @param quotas its own limits: a number, "unlimited", or null for the default
 * @param createdAt since when
 * @param version for If-Match
 */
record TenantView(
    String name,
    String title,
    int weight,
    boolean suspended,
    String retainedPolicy,
    @Schema(description = "a number, \"unlimited\", or null for the default")
        Map<String, @Nullable Object> quotas,
    Instant createdAt,
    long version) {

  static TenantView read(ResultSet row) throws SQLException {
    Map<String, @Nullable Object> quotas = new LinkedHashMap<>();
    for (Quota quota : Quota.values()) {
      long limit = row.getLong(quota.column());
      quotas.put(quota.field(), row.wasNull() ? null : shown(limit));
    }
    return new TenantView(
        row.getString("name"),
        row.getString("title"),
        row.getInt("weight"),
        row.getBoolean("suspended"),
        row.getString("retained_policy"),
        quotas,
        row.getTimestamp("created_at").toInstant(),
        row.getLong("version"));
  }

  /** Unlimited is a word, never a number. */
  static Object shown(long limit) {
    return limit < 0 ? "unlimited" : (Object) limit;
  }
}
