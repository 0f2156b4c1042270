package dev.monotick.postgres;

import static dev.monotick.postgres.PostgresLeadership.ADVISORY_LEASE;
import static dev.monotick.postgres.PostgresLeadership.AUTO;
import static dev.monotick.postgres.PostgresLeadership.LEASE_ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.SchedulerException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PostgresLeadershipTest {

  private static final Optional<String> POOLER = Optional.of("one process answered two of us");

  @Test
  void directConnectionsHaveTheLockUnlessTheRowIsAskedFor() {
    assertThat(AUTO.resolve(Optional.empty())).isEqualTo(ADVISORY_LEASE);
    assertThat(ADVISORY_LEASE.resolve(Optional.empty())).isEqualTo(ADVISORY_LEASE);
    assertThat(LEASE_ROW.resolve(Optional.empty())).isEqualTo(LEASE_ROW);
  }

  @Test
  void behindAPoolerThereIsTheRow() {
    assertThat(AUTO.resolve(POOLER)).isEqualTo(LEASE_ROW);
    assertThat(LEASE_ROW.resolve(POOLER)).isEqualTo(LEASE_ROW);
  }

  @Test
  void sessionLockBehindAPoolerIsRefusedWithTheRemedy() {
    TestDatabase direct = TestDatabase.on(TestDatabase.NEWEST);
    try (PgBouncer pooler = PgBouncer.start(direct, "transaction", 2)) {
      assertThatThrownBy(
              () ->
                  PostgresStore.builder()
                      .url(pooler.database().url())
                      .user(direct.user())
                      .password(direct.password())
                      .schema(direct.schema())
                      .leadership(ADVISORY_LEASE)
                      .build())
          .isInstanceOf(SchedulerException.class)
          .hasMessageContaining("ADVISORY_LEASE")
          .hasMessageContaining("pooler")
          .hasMessageContaining("directDataSource")
          .hasMessageContaining("LEASE_ROW");
    } finally {
      direct.close();
    }
  }
}
