package dev.monotick.postgres.schema;

import java.util.ArrayList;
import java.util.List;

/** The SQL around the steps themselves, the same for replicas and for those who apply a script. */
record MigrationScript(MigrationPlan plan) {

  private static final String CREATE_SCHEMA = "create schema @schema";

  private static final String CREATE_LEDGER =
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

  /** "If not exists" would demand the right to create schemas even where there is one. */
  private static final String CREATE_SCHEMA_IF_MISSING =
      """
      do $$
      begin
        if not exists (select from pg_catalog.pg_namespace where nspname = '%s') then
          %s;
        end if;
      end
      $$;
      """;

  private static final String EXPECT_VERSION =
      """
      do $$
      begin
        if (select coalesce(max(version), 0) from @migration) <> %d then
          raise exception 'this script is for version %d of schema %s, which has another; nothing was changed';
        end if;
      end
      $$;
      """;

  /** Returns what is to be done before the first step, if anything. */
  List<String> prepare(SchemaState state) {
    List<String> statements = new ArrayList<>();
    if (!state.exists()) {
      statements.add(resolve(CREATE_SCHEMA));
    }
    if (!state.hasLedger()) {
      statements.add(resolve(CREATE_LEDGER));
    }
    return statements;
  }

  /** Returns the statement that records a step; its values need no quoting. */
  String record(Migration step) {
    return resolve(
        "insert into @migration (version, name, checksum, min_code_version)\n"
            + "  values (%d, '%s', '%s', %d)"
                .formatted(step.version(), step.name(), step.checksum(), step.minCodeVersion()));
  }

  /** Returns a script that leads from that version to the newest, in one transaction. */
  String from(int version) {
    StringBuilder script = new StringBuilder();
    script.append(
        "-- Monotick: schema %s from version %d to %d\n"
            .formatted(plan.schema().text(), version, plan.version()));
    script.append("begin;\n");
    if (!plan.portable()) {
      script.append("set local lock_timeout = %d;\n".formatted(plan.lockTimeout().toMillis()));
      script.append("select pg_advisory_xact_lock(").append(plan.lockKey()).append(");\n");
    }
    if (version == 0) {
      String schema = plan.schema().text();
      script.append(CREATE_SCHEMA_IF_MISSING.formatted(schema, resolve(CREATE_SCHEMA)));
      script.append(resolve(CREATE_LEDGER)).append(";\n");
    } else {
      script.append(resolve(EXPECT_VERSION).formatted(version, version, plan.schema().text()));
    }
    for (Migration step : plan.known().subList(version, plan.version())) {
      script.append("\n-- Version ").append(step.title()).append('\n');
      script.append(record(step)).append(";\n");
      script.append(step.sql(plan.schema()).strip()).append('\n');
    }
    if (plan.runtimeRole() != null) {
      script.append("\n-- What a replica needs\n");
      script.append(String.join("\n", new SchemaGrants(plan.schema(), plan.runtimeRole()).all()));
      script.append('\n');
    }
    return script.append("\ncommit;\n").toString();
  }

  private String resolve(String template) {
    return Migration.resolve(template, plan.schema());
  }
}
