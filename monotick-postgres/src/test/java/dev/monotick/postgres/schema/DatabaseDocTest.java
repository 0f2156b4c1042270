package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.migration.MigrationReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/operate/database.md shows is code that runs and SQL that does what it says. */
final class DatabaseDocTest {

  private static final Path PAGE = Path.of("../docs/operate/database.md");
  private static final Path SOURCE =
      Path.of("src/test/java/dev/monotick/postgres/schema/DatabaseDocTest.java");

  @Test
  void javaOfThePageIsAPieceOfThisFile() throws IOException {
    String here = withoutSpaces(Files.readString(SOURCE));
    assertThat(blocks("java"))
        .hasSize(3)
        .allSatisfy(block -> assertThat(here).contains(withoutSpaces(block)));
  }

  @Test
  void grantsOfThePageAreThoseOfTheCode() throws IOException {
    Migrations migrations = Migrations.of(DatabaseDocTest::nowhere, SchemaName.DEFAULT);
    assertThat(blocks("sql").get(1)).isEqualTo(migrations.grants("monotick_app"));
  }

  @Test
  void everyTableIsOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    for (Migration step : Migration.ALL) {
      Pattern.compile("(?m)^create table @([a-z_]+)")
          .matcher(step.template())
          .results()
          .forEach(table -> assertThat(page).contains('`' + table.group(1) + '`'));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
  void rolesOfThePageWork(int major) throws IOException, SQLException {
    try (SchemaFixture fixture = new SchemaFixture(major)) {
      String owner = fixture.role("owner");
      String app = fixture.role("app");
      String setup = blocks("sql").get(0);
      assertThat(setup).contains("create role monotick_owner login", "create role monotick_app");
      fixture.database.execute(
          setup
              .replaceAll("(?m)^create role.*$", "") // the fixture has created them
              .replace("monotick_owner", owner)
              .replace("schema monotick", "schema " + fixture.schema.text()));

      ConnectionSource ownersConnections = fixture.as(owner);
      Migrations.of(ownersConnections, fixture.schema).migrate();
      try (Connection connection = ownersConnections.open()) {
        MigrationTransaction.execute(
            connection,
            blocks("sql")
                .get(1)
                .replace("monotick_app", app)
                .replace("\"monotick\"", fixture.schema.quoted()));
      }
      Migrations.of(fixture.as(app), fixture.schema).verify();
    }
  }

  /** Compiled, not run: these would use a schema that all tests share. */
  static List<Object> examples(ConnectionSource ownersConnections, ConnectionSource connections) {
    MigrationReport report =
        Migrations.of(ownersConnections, SchemaName.DEFAULT)
            .runtimeRole("monotick_app") // granted what replicas need; may be left out
            .migrate();
    Migrations.of(connections, SchemaName.DEFAULT).verify();
    Migrations migrations = Migrations.of(connections, SchemaName.DEFAULT);
    String complete = migrations.sql(); // for a database without the schema
    String upgrade = migrations.sqlFrom(1); // changes nothing unless the schema has version 1
    return List.of(report, complete, upgrade);
  }

  private static List<String> blocks(String language) throws IOException {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(PAGE))
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  private static Connection nowhere() throws SQLException {
    throw new SQLException("not needed");
  }

  private static String withoutSpaces(String text) {
    return text.replaceAll("\\s", "");
  }
}
