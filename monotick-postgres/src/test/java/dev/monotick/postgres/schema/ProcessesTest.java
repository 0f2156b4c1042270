package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.SchemaName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes, started at once. */
@Tag("thorough")
final class ProcessesTest {

  @ParameterizedTest
  @ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
  void fiveProcessesApplyEachMigrationOnce(int major) throws Exception {
    try (SchemaFixture fixture = new SchemaFixture(major)) {
      List<String> command =
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-Xshare:auto",
              "-XX:TieredStopAtLevel=1",
              "-cp",
              System.getProperty("java.class.path"),
              Replica.class.getName(),
              fixture.database.url(),
              fixture.database.user(),
              fixture.database.password(),
              fixture.database.schema());
      List<SchemaFixture.Running<String>> replicas = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        replicas.add(new SchemaFixture.Running<>(() -> Program.run(command, "")));
      }
      List<String> applied = new ArrayList<>();
      for (SchemaFixture.Running<String> replica : replicas) {
        replica
            .result()
            .lines()
            .filter(line -> line.startsWith("applied "))
            .map(line -> line.substring("applied ".length()))
            .forEach(applied::add);
      }
      assertThat(applied)
          .containsExactlyInAnyOrder(SchemaFixture.VERSIONS.toString(), "[]", "[]", "[]", "[]");
      fixture.migrations().verify();
    }
  }

  /** What each process runs. */
  static final class Replica {

    private Replica() {}

    public static void main(String[] arguments) {
      TestDatabase database =
          new TestDatabase(arguments[0], arguments[1], arguments[2], arguments[3]);
      Migrations migrations = Migrations.of(database::connect, new SchemaName(database.schema()));
      System.out.println("applied " + migrations.migrate().applied());
      migrations.verify();
    }
  }
}
