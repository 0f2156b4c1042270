package dev.monotick.postgres.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The key of an advisory lock. All who use the database share one space of 64 bits for such keys,
 * so ours are hashes wide enough that nobody meets another's by accident.
 *
 * @param value what the server's functions take
 */
public record LockKey(long value) {

  /** Returns the key for something of that kind and name in that schema; the same for ever. */
  public static LockKey of(SchemaName schema, String kind, String name) {
    byte[] text = String.join("\0", "monotick", schema.text(), kind, name).getBytes(UTF_8);
    try {
      return new LockKey(
          ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text)).getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Returns the key as SQL. */
  public String sql() {
    return "'" + value + "'::bigint"; // in quotes, or the smallest one would be out of range
  }

  /**
   * Returns SQL that says whether any session of this database holds one of the locks. Reads the
   * table of all locks of the server: right for once a second, not for once per tick.
   *
   * @param keys SQL of type bigint, separated by commas; null is held by nobody
   */
  public static String isHeld(String keys) {
    return "exists (select 1 from pg_locks as held where " + matches(keys) + ")";
  }

  /** Returns SQL that says whether the session that asks holds one of the locks. */
  public static String isHeldByMe(String keys) {
    return "exists (select 1 from pg_locks as held where held.pid = pg_backend_pid() and "
        + matches(keys)
        + ")";
  }

  /** The server shows a key of 64 bits as two halves, and marks it by objsubid = 1. */
  private static String matches(String keys) {
    return "held.locktype = 'advisory' and held.granted and held.objsubid = 1"
        + " and held.database = (select oid from pg_database where datname = current_database())"
        + (" and ((held.classid::bigint << 32) | held.objid::bigint) in (" + keys + ")");
  }
}
