package dev.monotick.server.key;

import dev.monotick.server.access.Role;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key as REST shows it: never what proves it.
 *
 * @param id the part of it that is no secret
 * @param name what people call it
 * @param role what it may do
 * @param tenant whose; null for the whole installation
 * @param createdAt when it was made
 * @param createdBy by whom
 * @param expiresAt until when it is valid; null for ever
 * @param revokedAt when it was revoked; null if it was not
 * @param lastUsedAt when it was used last, to the minute; null if never
 * @param version for If-Match
 * @param agent the only agent that it speaks for; null if it is for none in particular
 */
record KeyView(
    String id,
    String name,
    Role role,
    @Nullable String tenant,
    Instant createdAt,
    String createdBy,
    @Nullable Instant expiresAt,
    @Nullable Instant revokedAt,
    @Nullable Instant lastUsedAt,
    long version,
    @Nullable String agent) {

  static KeyView read(ResultSet row) throws SQLException {
    return new KeyView(
        row.getString("id"),
        row.getString("name"),
        Role.valueOf(row.getString("role")),
        row.getString("tenant"),
        row.getTimestamp("created_at").toInstant(),
        row.getString("created_by"),
        time(row, "expires_at"),
        time(row, "revoked_at"),
        time(row, "last_used_at"),
        row.getLong("version"),
        row.getString("agent"));
  }

  private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
    Timestamp time = row.getTimestamp(column);
    return time == null ? null : time.toInstant();
  }
}
