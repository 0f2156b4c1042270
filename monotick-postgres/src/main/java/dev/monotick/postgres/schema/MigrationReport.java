package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SchemaName;
import java.util.List;

/**
 * What a call of {@link Migrations#migrate} found and did.
 *
 * @param from version of the schema before; 0 if there was none
 * @param to version of the schema after; higher than this code knows if newer code has migrated it
 *     already and declared that older code may go on
 * @param applied versions that this call applied, in order; empty if there was nothing to do, or
 *     another replica did it
 * @param waited whether another replica was migrating, so that this call had to wait for it
 */
public record MigrationReport(
    SchemaName schema, int from, int to, List<Integer> applied, boolean waited) {

  /** Copies the list. */
  public MigrationReport {
    applied = List.copyOf(applied);
  }
}
