package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.drafts;
import static dev.monotick.postgres.job.JobFixture.end;
import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.JobDraft;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chains, batches, gates and deadlines. */
@Tag("thorough")
final class FollowTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void eachOfAChainRunsAfterTheOneBefore() {
    order(drafts(3), Follow.CHAIN);
    assertThat(fixture.counts()).isEqualTo("2 1 0 0 0 0 0");
    for (int i = 0; i < 3; i++) {
      List<ClaimedJob> claimed = fixture.claim(5);
      assertThat(claimed).extracting(JobFixture::text).containsExactly("n" + i);
      fixture.finishAll(claimed);
    }
    assertThat(fixture.counts()).isEqualTo("0 0 0 3 0 0 0");
  }

  @Test
  void aChainThatBreaksIsCancelledToItsEnd() {
    List<Enqueued> added = order(drafts(2_000), Follow.CHAIN);
    fixture.finish(end(fixture.claim(1).get(0), new Completion.Died("no")));
    assertThat(fixture.counts()).isEqualTo("0 0 0 0 1 1 1999");
    assertThat(fixture.outcomes(added.get(1_999).id().value())).containsExactly("1 1 9");
    assertThat(fixture.query("select detail from @job_attempt where job_id = " + added.get(1).id()))
        .containsExactly("job " + added.get(0).id() + " before it did not succeed");
  }

  @Test
  void theLastOfABatchRunsWhenAllOthersHaveEnded() {
    order(drafts(4), Follow.LAST_AFTER_ALL);
    List<ClaimedJob> claimed = fixture.claim(5);
    assertThat(claimed).hasSize(3);
    fixture.finish(success(claimed.get(0)), end(claimed.get(1), new Completion.Died("no")));
    assertThat(fixture.claim(5)).isEmpty();
    fixture.finish(end(claimed.get(2), new Completion.Discarded("no need")));
    assertThat(fixture.claim(5)).extracting(JobFixture::text).containsExactly("n3");
    assertThat(fixture.counts()).isEqualTo("0 0 1 1 1 1 1");
  }

  @Test
  void aJobWhoseDeadlinePassedIsNotHandedOut() {
    Instant soon = fixture.jobs.now().plus(Duration.ofMillis(1));
    List<Enqueued> added =
        fixture.jobs.enqueue(
            EnqueueRequest.of(List.of(until(Optional.of(soon), Optional.empty()), draft("b"))));
    awaitServerTime(soon);
    assertThat(fixture.claim(5)).extracting(JobFixture::text).containsExactly("b");
    assertThat(fixture.outcomes(added.get(0).id().value())).containsExactly("1 1 11");
    assertThat(fixture.counts()).isEqualTo("0 0 1 0 0 0 1");
  }

  @Test
  void aRunThatOutlivesItsDeadlineMayEndAndIsNotTriedAgain() {
    Instant later = fixture.jobs.now().plus(Duration.ofHours(1));
    fixture.jobs.enqueue(EnqueueRequest.of(List.of(until(Optional.of(later), Optional.empty()))));
    ClaimedJob job = fixture.claim(1).get(0);
    // By hand, since a deadline that passes by itself may do so before the job is claimed.
    fixture.execute("update @job set deadline = clock_timestamp()");
    fixture.execute("update @job_expiry set at = clock_timestamp()");
    awaitServerTime(fixture.jobs.now());
    assertThat(fixture.claim(1)).isEmpty();
    assertThat(fixture.finish(end(job, new Completion.Retried("no", Duration.ZERO))))
        .containsExactly(true);
    assertThat(fixture.claim(1)).isEmpty();
    assertThat(fixture.outcomes(job.id().value())).containsExactly("1 1 1", "2 2 11");
    assertThat(fixture.counts()).isEqualTo("0 0 0 0 1 0 1");
  }

  @Test
  void whatNobodyApprovesExpires() {
    JobDraft gated = until(Optional.empty(), Optional.of(Duration.ofMillis(1)));
    List<Enqueued> added = order(List.of(gated, draft("next")), Follow.CHAIN);
    assertThat(fixture.query("select id from @job_approval"))
        .containsExactly(added.get(0).id().toString());
    awaitServerTime(fixture.jobs.now().plus(Duration.ofMillis(5)));
    assertThat(fixture.claim(1)).isEmpty();
    assertThat(fixture.outcomes(added.get(0).id().value())).containsExactly("1 1 11");
    assertThat(fixture.outcomes(added.get(1).id().value())).containsExactly("1 1 9");
    assertThat(fixture.counts()).isEqualTo("0 0 0 0 0 0 2");
  }

  private void awaitServerTime(Instant time) {
    while (fixture
        .query("select 1 where clock_timestamp() > timestamptz '" + time + "' ")
        .isEmpty()) {
      Thread.onSpinWait();
    }
    while (!fixture.jobs.now().isAfter(time)) {
      Thread.onSpinWait();
    }
  }

  private List<Enqueued> order(List<JobDraft> drafts, Follow follow) {
    return fixture.jobs.enqueue(
        new EnqueueRequest(drafts, follow, Optional.empty(), Optional.empty()));
  }

  private static JobDraft until(Optional<Instant> deadline, Optional<Duration> approval) {
    JobDraft draft = draft("a");
    JobRules rules = draft.rules();
    return new JobDraft(
        draft.lane(),
        1,
        draft.payload(),
        JobStart.NOW,
        new JobRules(rules.maxAttempts(), rules.timeout(), deadline, rules.effect(), approval),
        Optional.empty(),
        Optional.empty(),
        Map.of());
  }
}
