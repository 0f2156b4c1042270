package dev.monotick.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.StartReport.Settings;
import dev.monotick.postgres.connection.ConnectionProfile;
import dev.monotick.postgres.connection.Database;
import dev.monotick.postgres.connection.EngineSettings;
import dev.monotick.postgres.connection.KeptPool;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.postgres.leader.PrivateServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StartReportTest {

  @Test
  void lineTellsWhatTheEngineWorksWithAndWhatConnectionsBeginWith() {
    try (SettingsRole role = new SettingsRole(TestDatabase.NEWEST);
        KeptPool pool = new KeptPool(role.database()::connect, 1)) {
      assertThat(read(role.database(), pool, EngineSettings.DEFAULT).line())
          .isEqualTo(
              "jit=off(default:on) fsync=on synchronous_commit=on(default:off)"
                  + " isolation=read-committed(default:serializable)");
    }
  }

  @Test
  void durabilityThatTheUserGaveUpIsWarnedOf() {
    try (SettingsRole role = new SettingsRole(TestDatabase.NEWEST);
        KeptPool pool = new KeptPool(role.database()::connect, 1)) {
      assertThat(read(role.database(), pool, new EngineSettings(false)).warnings())
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
      assertThat(read(server.database(), pool, EngineSettings.DEFAULT).warnings())
          .singleElement()
          .asString()
          .contains("fsync is off", "set fsync = on");
    }
  }

  @Test
  void goodServerIsNotWarnedOf() {
    Settings settings = new Settings("off", "on", "remote_apply", "read committed");
    StartReport report = new StartReport(settings, settings);
    assertThat(report.warnings()).isEmpty();
    assertThat(report.line())
        .isEqualTo("jit=off fsync=on synchronous_commit=remote_apply isolation=read-committed");
  }

  private static StartReport read(TestDatabase database, KeptPool pool, EngineSettings settings) {
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
