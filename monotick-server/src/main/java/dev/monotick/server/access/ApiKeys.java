package dev.monotick.server.access;

import dev.monotick.server.database.Sql;
import dev.monotick.spi.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * API keys: {@code mt_ID_SECRET}. The database has the id and a hash of the secret. What was found
 * is remembered for a few seconds, so a revoked key works that much longer on other replicas.
 */
@Component
public class ApiKeys {

  private static final Duration REMEMBERED = Duration.ofSeconds(5);
  private static final int MOST_REMEMBERED = 10_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Sql sql;
  private final TimeSource time;
  private final Map<String, Found> remembered = new ConcurrentHashMap<>();

  private record Found(Optional<Key> key, long until) {}

  /**
   * A key, without what proves it.
   *
   * @param id its name
   * @param tenant whose; empty for the whole installation
   * @param role what it may do
   * @param name what people call it
   */
  public record Key(String id, Optional<String> tenant, Role role, String name) {}

  /**
   * A key that was just made.
   *
   * @param key what is known of it
   * @param secret the whole text, which nobody can find out any more
   */
  public record Made(Key key, String secret) {

    @Override
    public String toString() {
      return "Made[" + key + "]";
    }
  }

  ApiKeys(Sql sql, TimeSource time) {
    this.sql = sql;
    this.time = time;
  }

  /** Makes a key. */
  public Made make(
      Optional<String> tenant, Role role, String name, String by, @Nullable Instant expiresAt) {
    String id = random(9);
    String secret = random(32);
    insert(new Key(id, tenant, role, name), secret, by, expiresAt);
    return new Made(new Key(id, tenant, role, name), "mt_" + id + "_" + secret);
  }

  /** Adds the key that somebody brought along, unless it is there. */
  void adopt(String text) {
    String[] parts = parts(text);
    if (parts.length == 0 || parts[1].length() < 20) {
      throw new IllegalArgumentException(
          "MONOTICK_ADMIN_KEY must be mt_ID_SECRET with an ID of letters and digits and a SECRET of"
              + " at least 20; leave it out to have one made");
    }
    if (sql.of("select count(*) from @api_key where id = :id")
            .param("id", parts[0])
            .query(Long.class)
            .single()
        == 0) {
      insert(
          new Key(parts[0], Optional.empty(), Role.ADMIN, "admin"), parts[1], "environment", null);
    }
  }

  /** Says whether nobody can administer this installation yet. */
  boolean isEmpty() {
    return sql.of("select count(*) from @api_key where tenant is null and revoked_at is null")
            .query(Long.class)
            .single()
        == 0;
  }

  private void insert(Key key, String secret, String by, @Nullable Instant expiresAt) {
    sql.of(
            """
            insert into @api_key (id, tenant, role, name, hash, created_by, expires_at)
            values (:id, :tenant, :role, :name, :hash, :by, :expires) on conflict (id) do nothing
            """)
        .param("id", key.id())
        .param("tenant", key.tenant().orElse(null))
        .param("role", key.role().name())
        .param("name", key.name())
        .param("hash", hash(secret))
        .param("by", by)
        .param("expires", expiresAt == null ? null : java.sql.Timestamp.from(expiresAt))
        .update();
  }

  /** Returns the key that a text is, if it is one and is valid. */
  Optional<Key> find(String text) {
    String proof = Base64.getEncoder().encodeToString(hash(text));
    long now = time.nanos();
    Found known = remembered.get(proof);
    if (known != null && known.until() - now > 0) {
      return known.key();
    }
    String[] parts = parts(text);
    if (parts.length == 0) {
      return Optional.empty();
    }
    Optional<Key> key = read(parts[0], parts[1]);
    if (remembered.size() >= MOST_REMEMBERED) {
      remembered.clear();
    }
    if (key.isPresent()) {
      remembered.put(proof, new Found(key, now + REMEMBERED.toNanos()));
    }
    return key;
  }

  /** Forgets what is remembered, after a change. */
  public void forget() {
    remembered.clear();
  }

  private Optional<Key> read(String id, String secret) {
    return sql.of(
            """
            select id, tenant, role, name, hash,
                   coalesce(last_used_at < now() - interval '1 minute', true) as unnoted
              from @api_key
             where id = :id and revoked_at is null and (expires_at is null or expires_at > now())
            """)
        .param("id", id)
        .query((row, number) -> proven(row, secret))
        .optional()
        .flatMap(key -> key);
  }

  /** Returns the name of the key that a text claims to be, which is no secret; empty if none. */
  static String claimed(String text) {
    String[] parts = parts(text);
    return parts.length == 0 ? "" : parts[0];
  }

  private Optional<Key> proven(ResultSet row, String secret) throws SQLException {
    if (!MessageDigest.isEqual(row.getBytes("hash"), hash(secret))) {
      return Optional.empty();
    }
    String id = row.getString("id");
    if (row.getBoolean("unnoted")) {
      sql.of(
              """
              update @api_key set last_used_at = now()
               where id = :id and coalesce(last_used_at < now() - interval '1 minute', true)
              """)
          .param("id", id)
          .update();
    }
    return Optional.of(
        new Key(
            id,
            Optional.ofNullable(row.getString("tenant")),
            Role.valueOf(row.getString("role")),
            row.getString("name")));
  }

  /** Returns id and secret of a key's text, or nothing if it is none. */
  private static String[] parts(String text) {
    String[] parts = text.split("_", 3);
    return parts.length == 3
            && parts[0].equals("mt")
            && parts[1].matches("[A-Za-z0-9]{1,40}")
            && parts[2].matches("[A-Za-z0-9]{1,200}")
        ? new String[] {parts[1], parts[2]}
        : new String[0];
  }

  private static String random(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    StringBuilder text = new StringBuilder();
    for (byte each : random) {
      text.append(Integer.toString(each & 0xff, 36));
    }
    return text.toString().toLowerCase(Locale.ROOT);
  }

  private static byte[] hash(String secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
