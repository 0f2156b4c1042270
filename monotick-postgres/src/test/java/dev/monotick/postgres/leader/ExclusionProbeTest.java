package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.SchedulerException;
import dev.monotick.postgres.PostgresLeadership;
import dev.monotick.postgres.PostgresStore;
import dev.monotick.postgres.PostgresStoreBuilder;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.SchemaName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Advisory locks that do nothing: functions of the same name that come first. */
@Timeout(60)
class ExclusionProbeTest {

  private final TestDatabase test = TestDatabase.on(TestDatabase.NEWEST);
  private final String shadows = test.schema() + "_shadows";
  private final TestDatabase shadowed =
      new TestDatabase(
          test.url() + "?currentSchema=" + shadows + ",pg_catalog",
          test.user(),
          test.password(),
          test.schema());

  @AfterEach
  void close() {
    test.execute("drop schema if exists " + shadows + " cascade");
    test.close();
  }

  @Test
  void locksOfPostgresExclude() {
    assertThat(ExclusionProbe.findFlaw(test::connect, SchemaName.DEFAULT)).isEmpty();
  }

  @Test
  void lockThatEveryoneGetsIsFound() {
    shadow("pg_try_advisory_lock(key bigint) returns boolean", "true");
    shadow("pg_advisory_unlock(key bigint) returns boolean", "true");
    assertThat(ExclusionProbe.findFlaw(shadowed::connect, SchemaName.DEFAULT))
        .contains("two sessions were given the same advisory lock");
  }

  @Test
  void lockThatIsNeverGivenBackIsFound() {
    shadow("pg_advisory_unlock(key bigint) returns boolean", "true");
    assertThat(ExclusionProbe.findFlaw(shadowed::connect, SchemaName.DEFAULT))
        .contains("an advisory lock that was given back is not free");
  }

  @Test
  void storeOnSuchADatabaseLeadsByTheRow() {
    shadow("pg_try_advisory_lock(key bigint) returns boolean", "true");
    shadow("pg_advisory_unlock(key bigint) returns boolean", "true");
    try (PostgresStore store = builder().build()) {
      assertThat(store.leadership()).isEqualTo(PostgresLeadership.LEASE_ROW);
    }
    PostgresStoreBuilder byLock = builder().leadership(PostgresLeadership.ADVISORY_LEASE);
    assertThatThrownBy(byLock::build)
        .isInstanceOf(SchedulerException.class)
        .hasMessageContaining("ADVISORY_LEASE")
        .hasMessageContaining("two sessions were given the same advisory lock")
        .hasMessageContaining("LEASE_ROW");
  }

  @Test
  void migrationsDoNotRelyOnLocksThatDoNotExclude() {
    shadow("pg_try_advisory_lock(key bigint) returns boolean", "true");
    shadow("pg_advisory_unlock(key bigint) returns boolean", "true");
    shadow("pg_try_advisory_xact_lock(key bigint) returns boolean", "1 / 0 = 1"); // not to be asked
    try (PostgresStore store = builder().build()) {
      assertThat(store.leadership()).isEqualTo(PostgresLeadership.LEASE_ROW);
    }
  }

  private PostgresStoreBuilder builder() {
    return PostgresStore.builder()
        .url(shadowed.url())
        .user(test.user())
        .password(test.password())
        .schema(test.schema());
  }

  private void shadow(String function, String result) {
    test.execute("create schema if not exists " + shadows);
    test.execute(
        "create function " + shadows + "." + function + " language sql as 'select " + result + "'");
  }
}
