package dev.monotick.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.connection.LockKey;
import dev.monotick.postgres.connection.SchemaName;
import dev.monotick.server.support.Api;
import dev.monotick.server.support.Eventually;
import dev.monotick.server.support.Installation;
import dev.monotick.server.support.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two replicas, and a stretch in which neither can lead. */
@Tag("thorough")
class LeaderlessTest {

  private final Installation installation =
      Installation.create()
          .with("monotick.health.leaderless", "2s")
          .with("monotick.metrics.interval", "1s")
          .with("monotick.replica.commands-interval", "100ms")
          .with("monotick.replica.view-interval", "200ms");

  private String said(int replica) {
    return installation
        .api(replica)
        .get("/health/scheduler")
        .body()
        .at("/components/leadership")
        .toString();
  }

  private static boolean isLed(Api api) {
    return api.get("/v1/leadership").body().path("groups").values().stream()
        .anyMatch(each -> each.path("led").asBoolean());
  }

  @Test
  void noLeaderForTooLongIsToldByEveryReplicaAndEnds() throws SQLException {
    try (installation;
        Connection other = connection();
        Connection looks = connection();
        Statement statement = other.createStatement()) {
      Api first = installation.start();
      installation.start();
      Eventually.until("somebody leads", () -> isLed(first));
      Eventually.until(
          () -> "all is well: " + said(0) + said(1),
          () -> said(0).contains("\"UP\"") && said(1).contains("\"UP\""));
      assertThat(said(0)).doesNotContain("no leader");

      // Somebody waits for the lock by which leaders are elected, and is first when it is free.
      String schema = installation.schema().replaceAll("_server$", "");
      LockKey lock = LockKey.of(new SchemaName(schema), "leader", "default");
      CompletableFuture<Boolean> taken =
          CompletableFuture.supplyAsync(
              () -> run(statement, "select pg_advisory_lock(" + lock.sql() + ")"));
      Eventually.until("he waits", () -> isWaiting(looks));
      assertThat(first.post("/v1/leadership/default/resign").status()).isEqualTo(202);
      assertThat(taken.join()).isTrue();

      for (int replica : new int[] {0, 1}) {
        Eventually.until(
            () -> "it is told: " + said(replica),
            () ->
                said(replica).contains("\"DOWN\"")
                    && said(replica).matches(".*\"default\":\"no leader for [2-9] s\".*"));
        assertThat(installation.api(replica).as(null).get("/health/scheduler").status())
            .isEqualTo(503);
        assertThat(installation.api(replica).as(null).get("/health/readiness").status())
            .as("requests are served without a leader")
            .isEqualTo(200);
      }

      run(statement, "select pg_advisory_unlock(" + lock.sql() + ")");

      Eventually.until("somebody leads again", () -> isLed(first));
      Eventually.until(
          () -> "all is well again: " + said(0) + said(1),
          () -> said(0).contains("\"UP\"") && said(1).contains("\"UP\""));
    }
  }

  private static Connection connection() throws SQLException {
    return DriverManager.getConnection(
        TestDatabase.server().url(),
        TestDatabase.server().user(),
        TestDatabase.server().password());
  }

  private static boolean run(Statement statement, String sql) {
    try {
      return statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isWaiting(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select exists (select from pg_locks where locktype = 'advisory' and not granted)")) {
      return row.next() && row.getBoolean(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
