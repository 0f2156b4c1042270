package dev.monotick.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.Monotick;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.SchemaChanges;
import dev.monotick.postgres.ServerTime;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.embedded.EmbeddedPostgres;
import dev.monotick.postgres.migration.MigrationReport;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.tick.Outcome;
import dev.monotick.work.Effect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** The Java of docs/learn/postgres.md is a piece of this file, and runs. */
@Timeout(120)
class PostgresSnippetsTest {

  private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void storeRunsATransactionalTask() {
    try (TestDatabase test = TestDatabase.on(TestDatabase.NEWEST)) {
      String url = test.url();
      String schema = test.schema();
      String user = test.user();
      String password = test.password();
      test.execute("create table " + test.schema() + "_invoices (period text primary key)");
      String insert = "insert into " + test.schema() + "_invoices values (?)";
      Duration period = Duration.ofMillis(200);
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setUrl(url);
      dataSource.setUser(user);
      dataSource.setPassword(password);
      try (PostgresStore store =
          PostgresStore.builder()
              .url(url) // jdbc:postgresql://host:5432/database
              .user(user)
              .password(password)
              .schema(schema) // "monotick" if you leave this out
              .build()) {
        Monotick monotick =
            Monotick.builder()
                .store(store)
                .task(
                    Task.named("write-invoices")
                        .every(period)
                        .mode(HaMode.ONE_REPLICA)
                        .effect(Effect.TRANSACTIONAL)
                        .run(
                            context ->
                                context.fencedTransaction(
                                    dataSource,
                                    connection -> {
                                      try (PreparedStatement invoice =
                                          connection.prepareStatement(insert)) {
                                        invoice.setString(1, context.nominalTime().toString());
                                        invoice.executeUpdate();
                                      }
                                    })))
                .build();
        monotick.start();
        await(
            () ->
                monotick.history("write-invoices", 10).stream()
                    .anyMatch(row -> row.outcome() == Outcome.SUCCEEDED));
        monotick.close();
      } finally {
        test.execute("drop table " + test.schema() + "_invoices");
      }
    }
  }

  @Test
  void embeddedServerIsAStoreToo(@TempDir Path temporary) {
    Path folder = temporary.resolve("postgres");
    open(temporary);
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().folder(folder).start();
        PostgresStore store =
            PostgresStore.builder()
                .url(server.url())
                .user(server.user())
                .password(server.password())
                .build()) {
      assertThat(store.ledger().now()).isAfter(Instant.EPOCH);
    }
  }

  @Test
  void schemaIsMigratedByAStepOfItsOwn() {
    try (TestDatabase test = TestDatabase.on(TestDatabase.NEWEST)) {
      String url = test.url();
      String schema = test.schema();
      String owner = test.user();
      String password = test.password();
      MigrationReport report =
          PostgresStore.builder().url(url).user(owner).password(password).schema(schema).migrate();
      assertThat(report.applied()).isNotEmpty();
      PostgresStore store =
          PostgresStore.builder()
              .url(url)
              .user(owner)
              .password(password)
              .schema(schema)
              .schemaChanges(SchemaChanges.VERIFY)
              .build();
      store.close();
      assertThat(PostgresStore.builder().schema("mine").migrationSql()).contains("mine");
    }
  }

  @Test
  void snippetsArePiecesOfThisFile() throws IOException {
    String here =
        normal(
            Files.readString(Path.of("src/test/java/dev/monotick/docs/PostgresSnippetsTest.java")));
    Matcher block = JAVA_BLOCK.matcher(Files.readString(Path.of("../docs/learn/postgres.md")));
    int found = 0;
    while (block.find()) {
      found++;
      assertThat(here).as("a snippet of postgres.md").contains(normal(block.group(1)));
    }
    assertThat(found).isGreaterThanOrEqualTo(4);
  }

  private static String normal(String text) {
    return String.join(" ", List.of(text.strip().split("\\s+")));
  }

  /** Lets the server's user in: where this runs as root, that is another one. */
  private static void open(Path folder) {
    assertThat(folder.toFile().setExecutable(true, false)).isTrue();
    assertThat(folder.toFile().setReadable(true, false)).isTrue();
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      ServerTime.pass(Duration.ofMillis(20));
    }
  }
}
