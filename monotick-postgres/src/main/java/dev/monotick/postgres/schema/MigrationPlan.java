package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SchemaName;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be reached, and how.
 *
 * @param known all steps that this code knows, in order
 * @param lockTimeout how long to wait for somebody else who migrates, on the server's clock
 * @param portable whether to do without advisory locks
 * @param runtimeRole whom to grant what a replica needs; null for nobody
 */
record MigrationPlan(
    SchemaName schema,
    List<Migration> known,
    Duration lockTimeout,
    boolean portable,
    @Nullable String runtimeRole) {

  MigrationPlan {
    known = List.copyOf(known);
    for (int i = 0; i < known.size(); i++) {
      if (known.get(i).version() != i + 1) {
        throw new IllegalArgumentException(
            "migration " + known.get(i).title() + " is not number " + (i + 1) + "; renumber it");
      }
    }
    if (lockTimeout.toMillis() < 1 || lockTimeout.compareTo(Duration.ofMinutes(5)) > 0) {
      throw new IllegalArgumentException(
          "lockTimeout must be 1 ms to 5 min, but was " + lockTimeout + "; choose 1 min or so");
    }
  }

  /** Returns the version that is to be reached. */
  int version() {
    return known.size();
  }

  /** Returns an SQL expression for the key of the advisory lock under which we migrate. */
  String lockKey() {
    return "hashtextextended('monotick migrate " + schema.text() + "', 0)";
  }

  MigrationPlan withLockTimeout(Duration timeout) {
    return new MigrationPlan(schema, known, timeout, portable, runtimeRole);
  }

  MigrationPlan withoutAdvisoryLocks() {
    return new MigrationPlan(schema, known, lockTimeout, true, runtimeRole);
  }

  MigrationPlan withRuntimeRole(String role) {
    return new MigrationPlan(schema, known, lockTimeout, portable, role);
  }
}
