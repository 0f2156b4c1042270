package dev.monotick.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.PgBouncer;
import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.connection.ConnectionSource;
import dev.monotick.postgres.migration.MigrationReport;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Behind a pooler that gives out a server connection per transaction. */
@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class PoolerTest {

  private final int major;

  PoolerTest(int major) {
    this.major = major;
  }

  @Test
  void twentyReplicasMigrateAndMaintainBehindAPooler() throws Exception {
    try (SchemaFixture fixture = new SchemaFixture(major);
        PgBouncer pooler = PgBouncer.start(fixture.database, "transaction", 3)) {
      ConnectionSource source = pooler.database()::connect;
      Migrations migrations = Migrations.of(source, fixture.schema);
      List<SchemaFixture.Running<MigrationReport>> replicas = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        replicas.add(new SchemaFixture.Running<>(migrations::migrate));
      }
      List<Integer> applied = new ArrayList<>();
      for (SchemaFixture.Running<MigrationReport> replica : replicas) {
        applied.addAll(replica.result().applied());
      }
      assertThat(applied).isEqualTo(SchemaFixture.VERSIONS);
      try (Connection first = source.open();
          Connection second = source.open()) { // as an application's pool keeps them
        for (int i = 0; i < 10; i++) { // more often than the driver waits to name its statements
          for (Connection kept : List.of(first, second)) {
            ConnectionSource again = () -> new KeptOpen(kept).asConnection();
            Migrations.of(again, fixture.schema).verify();
            LedgerMaintenance.of(again, fixture.schema, Duration.ofDays(30)).run();
            assertThat(ServerCheck.of(again).run().version() / 10000).isEqualTo(major);
          }
        }
      }
      try (Connection connection =
          source.open()) { // whatever server connection this is, it is clean
        assertThat(fixture.query(connection, "show lock_timeout")).containsExactly("0");
        assertThat(fixture.query(connection, "show statement_timeout")).containsExactly("0");
      }
    }
  }
}
