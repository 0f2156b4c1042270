package dev.monotick.postgres.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.SchedulerException;
import dev.monotick.postgres.PgBouncer;
import dev.monotick.postgres.TestDatabase;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PoolerProbeTest {

  private final TestDatabase direct = TestDatabase.on(TestDatabase.NEWEST);

  @Test
  void directConnectionsAreSessions() {
    assertThat(PoolerProbe.findPooler(direct::connect)).isEmpty();
    assertThat(LeaseKind.AUTO.resolve(PoolerProbe.findPooler(direct::connect)))
        .isEqualTo(LeaseKind.ADVISORY);
    assertThat(LeaseKind.ADVISORY.resolve(PoolerProbe.findPooler(direct::connect)))
        .isEqualTo(LeaseKind.ADVISORY);
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

  @Test
  void poolerPerTransactionIsFoundWhenManySessionsAreIdle() {
    for (String order : new String[] {"server_round_robin = 0", "server_round_robin = 1"}) {
      try (PgBouncer pooler =
          PgBouncer.start(direct, "transaction", 4, order, "min_pool_size = 4")) {
        assertThat(PoolerProbe.findPooler(pooler.database()::connect)).as(order).isPresent();
      }
    }
  }

  @Test
  void sessionLockBehindAPoolerIsRefusedWithTheRemedy() {
    try (PgBouncer pooler = PgBouncer.start(direct, "transaction", 2)) {
      assertThat(LeaseKind.AUTO.resolve(PoolerProbe.findPooler(pooler.database()::connect)))
          .isEqualTo(LeaseKind.ROW);
      assertThatThrownBy(
              () -> LeaseKind.ADVISORY.resolve(PoolerProbe.findPooler(pooler.database()::connect)))
          .isInstanceOf(SchedulerException.class)
          .hasMessageContaining("pooler")
          .hasMessageContaining("direct connection")
          .hasMessageContaining("lease rows");
    }
  }

  @Test
  void rowsDoNotMindAPooler() {
    assertThat(LeaseKind.ROW.resolve(Optional.of("two by one"))).isEqualTo(LeaseKind.ROW);
    assertThat(LeaseKind.ROW.resolve(Optional.empty())).isEqualTo(LeaseKind.ROW);
  }
}
