package dev.monotick.postgres.leader;

import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.SessionSettings;
import dev.monotick.postgres.connection.SqlFailures;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.UUID;

/**
 * Finds out whether advisory locks exclude. Some databases that speak PostgreSQL's language have
 * these functions and do nothing in them, so that every replica would hold every lock.
 *
 * <p>One session takes a lock that nobody else can know. A second one must be refused it, must see
 * it held in {@code pg_locks}, where the liveness of replicas is read, and must get it after it was
 * given back.
 */
public final class ExclusionProbe {

  private ExclusionProbe() {}

  /**
   * Returns why advisory locks cannot be trusted, or empty if they can.
   *
   * @param source leads to sessions, see {@link PoolerProbe}
   */
  public static Optional<String> findFlaw(ConnectionSource source, SchemaName schema) {
    String key = LockKey.of(schema, "probe", UUID.randomUUID().toString()).sql();
    String lock = "select pg_try_advisory_lock(" + key + ")";
    String unlock = "select pg_advisory_unlock(" + key + ")";
    try (Connection first = source.open();
        Connection second = source.open()) {
      if (!isTrue(first, lock)) {
        return Optional.of("an advisory lock that is free was refused");
      }
      boolean both = isTrue(second, lock);
      boolean shown = isTrue(second, "select " + LockKey.isHeld(key));
      boolean freed = isTrue(first, unlock);
      if (both) {
        boolean unused = isTrue(second, unlock);
        return Optional.of("two sessions were given the same advisory lock");
      }
      if (!shown) {
        return Optional.of("an advisory lock that is held is not in pg_locks");
      }
      if (!freed || !isTrue(second, lock)) {
        return Optional.of("an advisory lock that was given back is not free");
      }
      boolean unused = isTrue(second, unlock);
      return Optional.empty();
    } catch (SQLException e) {
      if (SqlFailures.isRefusal(e)) {
        return Optional.of("advisory locks were refused: " + SqlFailures.describe(e));
      }
      throw SqlFailures.translate("testing advisory locks", e);
    }
  }

  private static boolean isTrue(Connection connection, String question) throws SQLException {
    return SessionSettings.DEFAULT.runShared(
        connection,
        asked -> {
          try (Statement statement = asked.createStatement();
              ResultSet row = statement.executeQuery(question)) {
            row.next();
            return row.getBoolean(1);
          }
        });
  }
}
