package dev.monotick.postgres.job.admin;

import static dev.monotick.postgres.job.JobFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.JobState;
import dev.monotick.postgres.job.JobFixture;
import dev.monotick.postgres.job.PostgresJobStore;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Decisions in transactions of others: they hold if those commit, and never were if not. */
@Tag("thorough")
final class JobDecisionsTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  private interface Decision {
    boolean decide(JobDecisions decisions, JobId id);
  }

  private JobId add(Optional<Duration> approval, JobStart start) {
    JobDraft plain = draft("x");
    JobRules rules = JobFixture.RULES;
    return fixture
        .jobs
        .enqueue(
            EnqueueRequest.of(
                List.of(
                    new JobDraft(
                        plain.lane(),
                        1,
                        new byte[0],
                        start,
                        new JobRules(
                            rules.maxAttempts(),
                            rules.timeout(),
                            rules.deadline(),
                            rules.effect(),
                            approval),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of()))))
        .get(0)
        .id();
  }

  private JobState state(JobId id) {
    return fixture.jobs.find(id).orElseThrow().state();
  }

  /** Decides twice: once for nothing, once for good. */
  private void decide(JobId id, Decision decision, JobState to) throws SQLException {
    JobState from = state(id);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      JobDecisions undone = ((PostgresJobStore) fixture.jobs).decisions(connection);
      assertThat(decision.decide(undone, id)).isTrue();
      assertThat(undone.find(id).orElseThrow().state()).as("as it sees it").isEqualTo(to);
      assertThat(state(id)).as("as others see it").isEqualTo(from);
      connection.rollback();
      assertThat(state(id)).isEqualTo(from);

      JobDecisions done = ((PostgresJobStore) fixture.jobs).decisions(connection);
      assertThat(decision.decide(done, id)).isTrue();
      connection.commit();
      done.signal();
    }
    assertThat(state(id)).isEqualTo(to);
  }

  @Test
  void eachDecisionHoldsIfItsTransactionCommits() throws SQLException {
    Optional<Duration> gate = Optional.of(Duration.ofHours(1));
    JobId approved = add(gate, JobStart.NOW);
    decide(approved, (jobs, id) -> jobs.approve(id, "ada", "fine"), JobState.READY);
    decide(approved, (jobs, id) -> jobs.cancel(id, "ada", "no"), JobState.CANCELLED);
    JobId rejected = add(gate, JobStart.NOW);
    decide(rejected, (jobs, id) -> jobs.reject(id, "ada", "no"), JobState.REJECTED);
    decide(
        rejected,
        (jobs, id) -> jobs.requeue(List.of(id), "ada").equals(List.of(id)),
        JobState.AWAITING_APPROVAL);
    assertThat(fixture.claim(5)).isEmpty();
  }

  @Test
  void aSecondDecisionFindsTheFirst() throws SQLException {
    JobId id = add(Optional.of(Duration.ofHours(1)), JobStart.NOW);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      JobDecisions decisions = ((PostgresJobStore) fixture.jobs).decisions(connection);
      assertThat(decisions.approve(id, "ada", "")).isTrue();
      assertThat(decisions.reject(id, "bob", "")).isFalse();
      assertThat(decisions.reschedule(id, Instant.EPOCH)).isFalse();
      connection.commit();
    }
    assertThat(fixture.claim(5)).hasSize(1);
  }
}
