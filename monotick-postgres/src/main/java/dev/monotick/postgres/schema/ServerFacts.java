package dev.monotick.postgres.schema;

import dev.monotick.postgres.migration.SchemaException;

/**
 * What a server says about itself and about who is connected.
 *
 * @param version as the server counts, such as 180006 for 18.6
 * @param versionName as people write it
 * @param isInRecovery whether it is a standby
 * @param isReadOnly whether transactions can't write, as on a standby or by a setting
 */
public record ServerFacts(
    int version,
    String versionName,
    boolean isInRecovery,
    boolean isReadOnly,
    String role,
    String database) {

  /** The oldest version we work with: the first that ends idle sessions by itself. */
  private static final int OLDEST = 140000;

  /** Refuses a server that a replica can't work with. */
  void check() {
    if (version < OLDEST) {
      throw new SchemaException(
          "the server is PostgreSQL "
              + versionName
              + ", and 14 is the oldest supported; upgrade it");
    }
    if (isInRecovery) {
      throw new SchemaException(
          "the server of database "
              + database
              + " is a standby, which can't write; connect to the primary: name all servers in the"
              + " URL and add targetServerType=primary");
    }
    if (isReadOnly) {
      throw new SchemaException(
          "transactions of role "
              + role
              + " in database "
              + database
              + " are read-only; connect to the primary, or turn default_transaction_read_only off:"
              + " alter role \""
              + role.replace("\"", "\"\"")
              + "\" set default_transaction_read_only = off;");
    }
  }
}
