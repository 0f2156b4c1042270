package dev.monotick.postgres.schema;

import dev.monotick.postgres.connection.SchemaName;
import java.util.ArrayList;
import java.util.List;

/** The SQL around the steps themselves. */
record Script(SchemaName schema) {

  private static final String LEDGER =
      """
      create table @migration (
        version           integer     not null primary key,
        name              text        not null,
        checksum          text        not null, -- SHA-256 of the step's text
        min_code_version  integer     not null, -- the oldest version that code must know to go on
        applied_at        timestamptz not null default now(),
        applied_by        text        not null default current_user
      )\
      """;

  /** Returns what is to be done before the first step, if anything. */
  List<String> prepare(SchemaState state) {
    List<String> statements = new ArrayList<>();
    if (!state.exists()) { // not "if not exists", which demands the right to create it anyway
      statements.add(Migration.resolve("create schema @schema", schema));
    }
    if (!state.hasLedger()) {
      statements.add(Migration.resolve(LEDGER, schema));
    }
    return statements;
  }

  /** Returns the statement that records a step; its values need no quoting. */
  String record(Migration step) {
    return Migration.resolve(
        "insert into @migration (version, name, checksum, min_code_version) values (%d, '%s', '%s', %d)"
            .formatted(step.version(), step.name(), step.checksum(), step.minCodeVersion()),
        schema);
  }

  /** Returns an SQL expression for the key of the advisory lock under which we migrate. */
  static String lockKey(SchemaName schema) {
    return "hashtextextended('monotick migrate " + schema.text() + "', 0)";
  }
}
