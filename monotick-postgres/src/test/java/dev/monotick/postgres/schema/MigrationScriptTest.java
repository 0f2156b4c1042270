package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.monotick.postgres.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The SQL for those who migrate by other means gives the same schema as migrating does. */
@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class MigrationScriptTest {

  /** All that makes up a schema: columns, defaults, constraints, indexes, functions. */
  private static final String SHAPE =
      """
      select regexp_replace(line, '@text', 'SCHEMA', 'g') from (
        select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default)
          from information_schema.columns where table_schema = '@text'
        union all select indexdef from pg_indexes where schemaname = '@text'
        union all select format('%s %s', conname, pg_get_constraintdef(oid))
          from pg_constraint where connamespace = '@schema'::regnamespace
        union all select pg_get_functiondef(oid) || proacl::text
          from pg_proc where pronamespace = '@schema'::regnamespace
        union all select format('%s %s %s %s', version, name, checksum, min_code_version) from @migration
      ) as x (line) order by 1
      """;

  private final SchemaFixture fixture;

  MigrationScriptTest(int major) {
    fixture = new SchemaFixture(major);
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void theCompleteScriptGivesTheSameSchema() {
    fixture.migrations().migrate();
    List<String> migrated = shape();
    fixture.execute("drop schema @schema cascade");
    fixture.database.execute(fixture.migrations().sql());
    assertThat(shape()).isEqualTo(migrated).hasSizeGreaterThan(60);
    isUpToDate();
  }

  @Test
  void theCompleteScriptWorksInPsql() throws Exception {
    Optional<String> psql = Program.find("psql");
    assumeTrue(psql.isPresent(), "psql is not installed");
    String role = fixture.role("runtime");
    psql(psql.get(), fixture.migrations().runtimeRole(role).sql());
    isUpToDate();
    Migrations.of(fixture.as(role), fixture.schema).verify();
  }

  @Test
  void theScriptFromAVersionLeadsToTheNewest() {
    fixture.migrations().migrate();
    Migrations newer = withStepTwo();
    fixture.database.execute(newer.sqlFrom(1));
    newer.verify();
    assertThat(newer.migrate().applied()).isEmpty();
    fixture.database.execute(newer.sqlFrom(2)); // nothing left to do
  }

  @Test
  void aScriptForAnotherVersionChangesNothing() {
    fixture.migrations().migrate();
    List<String> before = shape();
    assertThatThrownBy(() -> fixture.database.execute(withStepTwo().sqlFrom(2)))
        .cause()
        .hasMessageContaining("this script is for version 2 of schema " + fixture.schema.text());
    assertThatThrownBy(() -> fixture.database.execute(fixture.migrations().sql()))
        .cause()
        .hasMessageContaining("\"migration\" already exists");
    assertThat(shape()).isEqualTo(before);
  }

  @Test
  void theOwnerOfTheSchemaNeedsNoRightsOnTheDatabase() throws Exception {
    String owner = fixture.role("owner");
    fixture.execute("create schema @schema authorization " + owner);
    try (var connection = fixture.as(owner).open();
        var statement = connection.createStatement()) {
      statement.execute(fixture.migrations().sql());
    }
    isUpToDate();
  }

  @Test
  void withoutAdvisoryLocksTheScriptTakesNone() {
    String script = fixture.migrations().portable().sql();
    assertThat(script).doesNotContain("pg_advisory_xact_lock");
    fixture.database.execute(script);
    isUpToDate();
  }

  @Test
  void versionsThatDoNotExistAreRefused() {
    for (int version : new int[] {-1, SchemaFixture.NEWEST_VERSION + 1}) {
      assertThatThrownBy(() -> fixture.migrations().sqlFrom(version))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "version must be 0 to %d, but was %d"
                  .formatted(SchemaFixture.NEWEST_VERSION, version));
    }
  }

  private Migrations withStepTwo() {
    List<Migration> known = new ArrayList<>(Migration.ALL);
    known.add(SchemaFixture.step(2, 1, "create table @a ();"));
    return new Migrations(
        fixture.database::connect,
        new MigrationPlan(fixture.schema, known, Duration.ofSeconds(10), false, null));
  }

  private void isUpToDate() {
    fixture.migrations().verify();
    assertThat(fixture.migrations().migrate().applied()).isEmpty();
  }

  private List<String> shape() {
    return fixture.query(SHAPE.replace("@text", fixture.schema.text()));
  }

  private void psql(String psql, String script) throws Exception {
    URI server = URI.create(fixture.database.url().substring("jdbc:".length()));
    Program.run(
        List.of(
            psql,
            "--quiet",
            "--no-psqlrc",
            "--set=ON_ERROR_STOP=1",
            "--dbname=postgresql://%s:%s@%s:%d%s"
                .formatted(
                    fixture.database.user(),
                    fixture.database.password(),
                    server.getHost(),
                    server.getPort(),
                    server.getPath())),
        script);
  }
}
