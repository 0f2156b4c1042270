package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.PgBouncer;
import dev.monotick.postgres.TestDatabase;
import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PoolerProbeTest {

  private final TestDatabase direct = TestDatabase.on(TestDatabase.NEWEST);

  @Test
  void directConnectionsAreSessions() {
    assertThat(PoolerProbe.findPooler(direct::connect)).isEmpty();
  }

  @Test
  void poolerThatKeepsSessionsIsNoObstacle() {
    try (PgBouncer pooler = PgBouncer.start(direct, "session", 5)) {
      assertThat(PoolerProbe.findPooler(pooler.database()::connect)).isEmpty();
    }
  }

  @Test
  void poolerPerTransactionIsFoundWhateverItsSizeAndOrder() {
    for (int size : new int[] {1, 2, 3, 5}) {
      for (String order : new String[] {"server_round_robin = 0", "server_round_robin = 1"}) {
        try (PgBouncer pooler = PgBouncer.start(direct, "transaction", size, order)) {
          assertThat(PoolerProbe.findPooler(pooler.database()::connect))
              .as("pool of %s, %s", size, order)
              .isPresent();
        }
      }
    }
  }

  /** A transaction that stays open would keep its server process. */
  @Test
  void poolerPerTransactionIsFoundByConnectionsWithoutAutocommit() {
    try (PgBouncer pooler = PgBouncer.start(direct, "transaction", 3)) {
      assertThat(
              PoolerProbe.findPooler(
                  () -> {
                    Connection connection = pooler.database().connect();
                    connection.setAutoCommit(false);
                    return connection;
                  }))
          .isPresent();
    }
  }

  @Test
  void poolerPerTransactionIsFoundWhenManySessionsAreIdle() {
    for (String order : new String[] {"server_round_robin = 0", "server_round_robin = 1"}) {
      try (PgBouncer pooler =
          PgBouncer.start(direct, "transaction", 4, order, "min_pool_size = 4")) {
        assertThat(PoolerProbe.findPooler(pooler.database()::connect)).as(order).isPresent();
      }
    }
  }
}
