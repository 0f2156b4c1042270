package dev.monotick.postgres.job.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.postgres.TestDatabase;
import dev.monotick.postgres.job.ManualJobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("thorough")
@ParameterizedClass
@ValueSource(ints = {TestDatabase.OLDEST, TestDatabase.NEWEST})
final class QueueHealthTest {

  private final int major;
  private ManualJobs fixture;
  private QueueHealth health;

  QueueHealthTest(int major) {
    this.major = major;
  }

  @BeforeEach
  void prepare() {
    fixture = new ManualJobs(major);
    health = new QueueHealth(fixture.database);
  }

  @AfterEach
  void drop() {
    fixture.close();
  }

  @Test
  void whoeverHoldsAnOldSnapshotIsNamed() throws SQLException {
    try (Connection holder = fixture.test.connect()) {
      fixture.query(holder, "select set_config('application_name', 'nightly report', false)");
      holder.setAutoCommit(false);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      String pid = fixture.query(holder, "select pg_backend_pid()").get(0);
      for (int i = 0; i < 5; i++) {
        fixture.execute("update @job_rules_version set version = version + 1");
      }
      assertThat(health.read().holders())
          .filteredOn(found -> found.name().equals(pid))
          .singleElement()
          .satisfies(
              found -> {
                assertThat(found.kind()).isEqualTo(QueueHealth.Kind.SESSION);
                assertThat(found.detail()).contains("nightly report", "idle in transaction");
                assertThat(found.transactions()).isGreaterThanOrEqualTo(5);
                assertThat(found.since()).isPresent();
              });
      holder.rollback();
      assertThat(health.read().holders()).noneMatch(found -> found.name().equals(pid));
    }
  }

  @Test
  void hotTablesAndTheJobThatWaitsLongestAreShown() {
    assertThat(health.read().oldestReady()).isEmpty();
    int lane = fixture.lane("mail", "letter", "");
    fixture.ready(lane);
    fixture.ready(fixture.job(lane), -lane, 0);
    fixture.execute("update @job_ready set ready_at = now() - interval '90 s' where lane < 0");
    QueueHealth.Report report = health.read();
    assertThat(report.oldestReady())
        .hasValueSatisfying(
            waited ->
                assertThat(waited).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(900)));
    assertThat(report.tables())
        .extracting(QueueHealth.Table::name)
        .contains("job_ready", "job_claim", "job_count_delta");
  }
}
