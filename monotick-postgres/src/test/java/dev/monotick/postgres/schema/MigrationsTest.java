package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.SchemaName;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class MigrationsTest {

  private final TestDatabase database;
  private final SchemaName schema;
  private final Migrations migrations;

  MigrationsTest(int major) {
    database = TestDatabase.on(major);
    schema = new SchemaName(database.schema());
    migrations = Migrations.of(database::connect, schema);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void anEmptyDatabaseIsMigratedOnce() {
    assertThatThrownBy(migrations::verify)
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("has version 0");
    int newest = Migration.ALL.size();
    MigrationReport report = migrations.migrate();
    assertThat(report.from()).isZero();
    assertThat(report.to()).isEqualTo(newest);
    assertThat(report.applied()).hasSize(newest);
    migrations.verify();
    assertThat(migrations.migrate())
        .isEqualTo(new MigrationReport(schema, newest, newest, List.of(), false));
  }
}
