package dev.monotick.postgres.schema;

/** A row of the table {@code migration}: a step that was applied, by whatever version of us. */
record AppliedMigration(int version, String name, String checksum, int minCodeVersion) {}
