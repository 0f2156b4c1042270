package dev.monotick.postgres.migration;

import java.util.List;

/**
 * The result of a migration.
 *
 * @param schema name of the schema that holds the tables
 * @param from version of the schema before; 0 if there was none
 * @param to version of the schema after; higher than this code knows if newer code has migrated it
 *     already and declared that older code remains compatible
 * @param applied versions that this call applied, in order; empty if there was nothing to do, or
 *     another replica did it
 * @param waited whether this call waited for another replica's migration
 */
public record MigrationReport(
    String schema, int from, int to, List<Integer> applied, boolean waited) {

  /** Copies the list. */
  public MigrationReport {
    applied = List.copyOf(applied);
  }
}
