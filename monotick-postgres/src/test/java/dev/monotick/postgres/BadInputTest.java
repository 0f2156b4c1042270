package dev.monotick.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.SchedulerException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** What is wrong is said at the start, with the remedy, and nothing is done. */
@Timeout(60)
class BadInputTest {

  private static final String SECRET = "hunter2-very-secret";

  @Test
  void nowhereToConnectTo() {
    refused(
        IllegalArgumentException.class, () -> PostgresStore.builder().build(), "url", "missing");
  }

  @Test
  void urlOfSomethingElse() {
    refused(
        IllegalArgumentException.class,
        () -> PostgresStore.builder().url("postgres://u:" + SECRET + "@host/db").build(),
        "jdbc:postgresql:");
  }

  @Test
  void urlThatLeadsNowhere() {
    refused(
        SchedulerException.class,
        () ->
            PostgresStore.builder()
                .url("jdbc:postgresql://127.0.0.1:1/db")
                .user("u")
                .password(SECRET)
                .startupTimeout(Duration.ZERO)
                .build(),
        "no connection to the database",
        "check host and port");
  }

  @Test
  void wrongPassword() {
    TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
    refused(
        SchedulerException.class,
        () -> PostgresStore.builder().url(test.url()).user(test.user()).password(SECRET).build(),
        "password",
        "check user and password");
  }

  @Test
  void twoWaysToConnect() {
    refused(
        IllegalArgumentException.class,
        () ->
            PostgresStore.builder()
                .url("jdbc:postgresql://localhost/x")
                .dataSource(new PGSimpleDataSource())
                .build(),
        "url and dataSource contradict");
    refused(
        IllegalArgumentException.class,
        () -> PostgresStore.builder().dataSource(new PGSimpleDataSource()).password(SECRET).build(),
        "user and password belong to url");
  }

  @Test
  void contradictingModes() {
    refused(
        IllegalArgumentException.class,
        () ->
            PostgresStore.builder()
                .url("jdbc:postgresql://localhost/x")
                .portable(true)
                .leadership(PostgresLeadership.ADVISORY_LEASE)
                .build(),
        "portable contradicts");
  }

  @Test
  void valuesOutOfRange() {
    PostgresStoreBuilder builder = PostgresStore.builder().url("jdbc:postgresql://localhost/x");
    refused(IllegalArgumentException.class, () -> builder.schema("Drop;"), "schema", "Drop;");
    refused(IllegalArgumentException.class, () -> builder.connections(0), "connections", "0");
    refused(
        IllegalArgumentException.class,
        () -> builder.startupTimeout(Duration.ofSeconds(-1)),
        "startupTimeout");
    refused(
        IllegalArgumentException.class,
        () -> builder.retention(Duration.ofMinutes(1)).build(),
        "retention",
        "PT1M");
  }

  @Test
  void schemaThatNobodyPrepared() {
    TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
    refused(
        SchedulerException.class,
        () ->
            PostgresStore.builder()
                .url(test.url())
                .user(test.user())
                .password(test.password())
                .schema(test.schema())
                .schemaChanges(SchemaChanges.VERIFY)
                .build(),
        test.schema());
  }

  private static void refused(
      Class<? extends Throwable> type, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOf(type)
        .satisfies(
            refusal -> {
              for (String word : words) {
                assertThat(refusal).hasMessageContaining(word);
              }
              assertThat(refusal.toString()).doesNotContain(SECRET);
            });
  }
}
