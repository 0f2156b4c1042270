package dev.monotick.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.StartReport.Settings;
import dev.monotick.postgres.connection.ConnectionProfile;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.connection.SessionSettings;
import dev.monotick.postgres.leader.PrivateServer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.postgresql.ds.PGSimpleDataSource;

@ResourceLock(Resources.SYSTEM_ERR)
class StartReportTest {

  @Test
  void lineTellsWhatTheEngineWorksWithAndWhatConnectionsBeginWith() {
    try (SettingsRole role = new SettingsRole(TestDatabase.NEWEST);
        KeptPool pool = new KeptPool(role.database()::connect, 1)) {
      assertThat(read(role.database(), pool, SessionSettings.DEFAULT).line())
          .isEqualTo(
              "jit=off(default:on) fsync=on synchronous_commit=on(default:off)"
                  + " isolation=read-committed(default:serializable)");
    }
  }

  @Test
  void durabilityThatTheUserGaveUpIsWarnedOf() {
    try (SettingsRole role = new SettingsRole(TestDatabase.NEWEST);
        KeptPool pool = new KeptPool(role.database()::connect, 1)) {
      assertThat(read(role.database(), pool, new SessionSettings(false)).warnings())
          .singleElement()
          .asString()
          .contains("synchronous_commit is off", "durableCommits(false)");
    }
  }

  @Test
  @Tag("thorough")
  void serverWithoutFsyncIsWarnedOf() {
    try (PrivateServer server = PrivateServer.start(TestDatabase.NEWEST);
        KeptPool pool = new KeptPool(server.database()::connect, 1)) {
      assertThat(read(server.database(), pool, SessionSettings.DEFAULT).warnings())
          .singleElement()
          .asString()
          .contains("fsync is off", "set fsync = on");
      TestDatabase administrator = server.database();
      administrator.execute("create role fsync_off login superuser");
      TestDatabase database =
          new TestDatabase(administrator.url(), "fsync_off", "x", administrator.schema());
      try (CapturedLog log = CapturedLog.open();
          PostgresStore store = builder(database).build()) {
        assertThat(store.leadership()).isEqualTo(PostgresLeadership.ADVISORY_LEASE);
        assertThat(log.lines("WARN", "role=fsync_off"))
            .singleElement()
            .asString()
            .contains(
                "database=postgres role=fsync_off version=", "fsync is off", "set fsync = on");
        assertThat(log.lines("INFO", "role=fsync_off"))
            .singleElement()
            .asString()
            .contains(" fsync=off ");
      }
    }
  }

  @Test
  void buildLogsTheLine() {
    try (SettingsRole role = new SettingsRole(TestDatabase.NEWEST);
        CapturedLog log = CapturedLog.open();
        PostgresStore store = builder(role.database()).build()) {
      assertThat(store.leadership()).isEqualTo(PostgresLeadership.ADVISORY_LEASE);
      assertThat(lines(log, role.database()))
          .singleElement()
          .asString()
          .contains("database=postgres role=" + role.database().user() + " version=18.")
          .endsWith(
              " schema="
                  + role.database().schema()
                  + " jit=off(default:on) fsync=on synchronous_commit=on(default:off)"
                  + " isolation=read-committed(default:serializable) pooler=none"
                  + " leadership=ADVISORY_LEASE");
      assertThat(log.lines("WARN", role.database().user())).isEmpty();
    }
  }

  @Test
  void lineTellsOfAPoolerBeforeEitherDataSource() {
    try (TestDatabase direct = TestDatabase.on(TestDatabase.NEWEST);
        PgBouncer pooler = PgBouncer.start(direct, "transaction", 5)) {
      assertThat(poolerIn(builder(pooler.database()), direct))
          .isEqualTo("pooler=found leadership=LEASE_ROW");
      assertThat(poolerIn(builder(pooler.database()).directDataSource(source(direct)), direct))
          .isEqualTo("pooler=none(url:found) leadership=ADVISORY_LEASE");
      assertThat(
              poolerIn(
                  PostgresStore.builder()
                      .schema(direct.schema())
                      .dataSource(source(direct))
                      .directDataSource(source(pooler.database())),
                  direct))
          .isEqualTo("pooler=found(dataSource:none) leadership=LEASE_ROW");
      assertThat(poolerIn(builder(direct).portable(true), direct))
          .isEqualTo("pooler=not-looked-for leadership=LEASE_ROW");
    }
  }

  private static String poolerIn(PostgresStoreBuilder builder, TestDatabase database) {
    try (CapturedLog log = CapturedLog.open();
        PostgresStore store = builder.build()) {
      assertThat(store.leadership()).isNotEqualTo(PostgresLeadership.AUTO);
      List<String> lines = lines(log, database);
      assertThat(lines).hasSize(1);
      return lines.get(0).substring(lines.get(0).indexOf("pooler="));
    }
  }

  private static List<String> lines(CapturedLog log, TestDatabase database) {
    return log.lines("INFO", " schema=" + database.schema() + " jit=");
  }

  private static PostgresStoreBuilder builder(TestDatabase database) {
    return PostgresStore.builder()
        .url(database.url())
        .user(database.user())
        .password(database.password())
        .schema(database.schema());
  }

  private static PGSimpleDataSource source(TestDatabase database) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.url());
    source.setUser(database.user());
    source.setPassword(database.password());
    return source;
  }

  @Test
  void goodServerIsNotWarnedOf() {
    Settings settings = new Settings("off", "on", "remote_apply", "read committed");
    StartReport report = new StartReport(settings, settings);
    assertThat(report.warnings()).isEmpty();
    assertThat(report.line())
        .isEqualTo("jit=off fsync=on synchronous_commit=remote_apply isolation=read-committed");
  }

  private static StartReport read(TestDatabase database, KeptPool pool, SessionSettings settings) {
    return StartReport.read(
        new Database(
            pool,
            database::connect,
            SchemaName.DEFAULT,
            settings,
            new Database.Profiles(ConnectionProfile.SHARED, ConnectionProfile.OWN)),
        database::connect);
  }
}
