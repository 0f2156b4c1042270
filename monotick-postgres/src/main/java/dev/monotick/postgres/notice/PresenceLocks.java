package dev.monotick.postgres.notice;

import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.replica.ReplicaId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The locks that show which replicas live in this process, and whether the open session holds them.
 * Anybody says which are wanted; the thread that owns the session takes them.
 *
 * <p>A session that died without the server's knowledge still holds its locks for a while, so that
 * the next one does not get them at once; it tries again each time it settles.
 */
final class PresenceLocks {

  private final SchemaName schema;
  private final Map<LockKey, Integer> wanted = new HashMap<>(); // guarded by this
  private final Set<LockKey> held = new HashSet<>(); // guarded by this

  PresenceLocks(SchemaName schema) {
    this.schema = schema;
  }

  /** Wants the lock, once more than before. */
  synchronized long enter(ReplicaId replica) {
    LockKey key = key(replica);
    wanted.merge(key, 1, Integer::sum);
    return key.value();
  }

  /** Wants the lock once less; it is let go when nobody wants it. */
  synchronized void leave(ReplicaId replica) {
    wanted.computeIfPresent(key(replica), (key, count) -> count == 1 ? null : count - 1);
  }

  synchronized boolean isHeld(ReplicaId replica) {
    return held.contains(key(replica));
  }

  /** The session is gone, and its locks with it. */
  synchronized void lost() {
    held.clear();
  }

  /** Takes what is wanted and lets go what is not; says whether the server had to be asked. */
  boolean settle(Connection connection) throws SQLException {
    Set<LockKey> missing;
    Set<LockKey> spare;
    synchronized (this) {
      if (held.equals(wanted.keySet())) {
        return false;
      }
      missing = difference(wanted.keySet(), held);
      spare = difference(held, wanted.keySet());
    }
    for (LockKey key : missing) {
      if (ask(connection, "select pg_try_advisory_lock(" + key.sql() + ")")) {
        hold(key, true);
      }
    }
    for (LockKey key : spare) {
      boolean unused = ask(connection, "select pg_advisory_unlock(" + key.sql() + ")");
      hold(key, false);
    }
    return true;
  }

  private synchronized void hold(LockKey key, boolean taken) {
    boolean unused = taken ? held.add(key) : held.remove(key);
  }

  private LockKey key(ReplicaId replica) {
    return LockKey.of(schema, "replica", replica.toString());
  }

  private static Set<LockKey> difference(Set<LockKey> all, Set<LockKey> less) {
    Set<LockKey> rest = new HashSet<>(all);
    rest.removeAll(less);
    return rest;
  }

  private static boolean ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getBoolean(1);
    }
  }
}
