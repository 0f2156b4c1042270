package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.drafts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.job.Enqueued;
import dev.monotick.job.JobId;
import dev.monotick.job.JobStart;
import dev.monotick.job.QueueFullException;
import dev.monotick.job.UniqueKey;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How jobs are added: in transactions of others, once per key, and not beyond what a queue takes.
 */
@Tag("thorough")
final class EnqueueTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void jobsOfATransactionExistWhenItCommits() throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(drafts(3)));
      assertThat(fixture.claim(5)).isEmpty();
      connection.commit();
      assertThat(fixture.claim(5)).hasSize(3);
    }
  }

  @Test
  void jobsOfATransactionThatIsRolledBackNeverExisted() throws SQLException {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      fixture.jobs.enqueue(connection, EnqueueRequest.of(List.of(unique("a"), draft("b"))));
      connection.rollback();
    }
    assertThat(fixture.claim(5)).isEmpty();
    assertThat(fixture.jobs.enqueue(EnqueueRequest.of(List.of(unique("a")))).get(0).isNew())
        .isTrue();
  }

  @Test
  void everythingThatADraftSaysComesBackWithItsClaim() {
    JobDraft draft = draft("text");
    JobDraft rich =
        new JobDraft(
            draft.lane(),
            7,
            new byte[] {0, 1, -1},
            JobStart.NOW,
            JobFixture.RULES,
            Optional.empty(),
            Optional.of("account-7"),
            Map.of("trace", "a\"b\\c,{d}", "empty", ""));
    fixture.jobs.enqueue(EnqueueRequest.of(List.of(rich)));
    ClaimedJob job = fixture.claim(1).get(0);
    assertThat(job.version()).isEqualTo(7);
    assertThat(job.payload()).containsExactly(0, 1, -1);
    assertThat(job.limitKey()).contains("account-7");
    assertThat(job.headers()).isEqualTo(rich.headers());
  }

  @Test
  void aKeyIsGivenOnceAndAgainWhenItsJobHasEnded() {
    Enqueued first = fixture.jobs.enqueue(EnqueueRequest.of(List.of(unique("a")))).get(0);
    List<Enqueued> again =
        fixture.jobs.enqueue(EnqueueRequest.of(List.of(unique("b"), unique("a"), unique("b"))));
    assertThat(again).extracting(Enqueued::isNew).containsExactly(true, false, false);
    assertThat(again.get(1).id()).isEqualTo(first.id());
    assertThat(again.get(2).id()).isEqualTo(again.get(0).id());
    fixture.finishAll(fixture.claim(5));
    assertThat(fixture.query("select count(*) from @job_unique")).containsExactly("0");
    assertThat(fixture.jobs.enqueue(EnqueueRequest.of(List.of(unique("a")))).get(0).isNew())
        .isTrue();
    assertThat(fixture.counts()).isEqualTo("0 1 0 2 0 0 0");
  }

  @Test
  void aKeyWithAWindowOutlivesItsJobAndEndsWithIt() {
    JobDraft draft = unique("a", Optional.of(Duration.ofHours(1)));
    Enqueued first = fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft))).get(0);
    fixture.finishAll(fixture.claim(1));
    assertThat(fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft))).get(0))
        .isEqualTo(new Enqueued(first.id(), false));
    fixture.execute("update @job_unique set until = now()");
    assertThat(fixture.jobs.enqueue(EnqueueRequest.of(List.of(draft))).get(0).isNew()).isTrue();
  }

  @Test
  void ofTwoTransactionsThatAddTheSameKeyTheSecondWaitsForTheFirst() throws Exception {
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      Enqueued first =
          fixture.jobs.enqueue(connection, EnqueueRequest.of(List.of(unique("a")))).get(0);
      CompletableFuture<Enqueued> second = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () ->
                  second.complete(
                      fixture.jobs.enqueue(EnqueueRequest.of(List.of(unique("a")))).get(0)));
      thread.start();
      awaitBlocked();
      connection.commit();
      assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(new Enqueued(first.id(), false));
      thread.join();
    }
  }

  private void awaitBlocked() {
    while (fixture
        .query(
            "select 1 from pg_stat_activity where wait_event_type = 'Lock'"
                + " and query like '%\""
                + fixture.database.schema()
                + "\".job_enqueue_all%'")
        .isEmpty()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void anExistingKeyIsNotLockedByWhoeverAsksForIt() throws SQLException {
    fixture.jobs.enqueue(EnqueueRequest.of(List.of(unique("a"))));
    List<ClaimedJob> claimed = fixture.claim(1);
    try (Connection connection = fixture.database.connect()) {
      connection.setAutoCommit(false);
      assertThat(
              fixture
                  .jobs
                  .enqueue(connection, EnqueueRequest.of(List.of(unique("a"))))
                  .get(0)
                  .isNew())
          .isFalse();
      assertThat(fixture.finishAll(claimed).finished()).containsExactly(true);
      connection.commit();
    }
  }

  @Test
  void aFullQueueTakesNoMore() {
    EnqueueRequest order =
        new EnqueueRequest(
            drafts(3), EnqueueRequest.Follow.NONE, Optional.empty(), Optional.of(5L));
    fixture.jobs.enqueue(order);
    assertThatThrownBy(() -> fixture.jobs.enqueue(order))
        .isInstanceOf(QueueFullException.class)
        .hasMessageContaining("queue mail takes no more jobs: 3 wait, 3 were to be added, and 5");
    fixture.finishAll(fixture.claim(1));
    assertThat(fixture.jobs.enqueue(order)).hasSize(3);
  }

  @Test
  void delayedJobsAreClaimedWhenTheirTimeHasCome() {
    JobDraft later = starting(new JobStart(Duration.ofHours(1), Optional.empty()));
    JobDraft past =
        starting(
            new JobStart(Duration.ZERO, Optional.of(fixture.jobs.now().minus(Duration.ofDays(1)))));
    List<JobId> ids =
        fixture.jobs.enqueue(EnqueueRequest.of(List.of(later, past))).stream()
            .map(Enqueued::id)
            .toList();
    assertThat(fixture.claim(5)).hasSize(1);
    assertThat(fixture.counts()).isEqualTo("1 0 1 0 0 0 0");
    assertThat(fixture.wanting(1).with(fixture.jobs).nextDue().orElseThrow())
        .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
    assertThat(fixture.jobs.reschedule(ids.get(0), fixture.jobs.now())).isTrue();
    fixture.jobs.enqueue(
        EnqueueRequest.of(
            List.of(starting(new JobStart(Duration.ofNanos(1_000), Optional.empty())))));
    assertThat(fixture.claim(5)).hasSize(2);
    assertThat(fixture.counts()).isEqualTo("0 0 3 0 0 0 0");
  }

  private static JobDraft starting(JobStart start) {
    JobDraft draft = draft("later");
    return new JobDraft(
        draft.lane(),
        1,
        draft.payload(),
        start,
        draft.rules(),
        Optional.empty(),
        Optional.empty(),
        Map.of());
  }

  private static JobDraft unique(String key) {
    return unique(key, Optional.empty());
  }

  private static JobDraft unique(String key, Optional<Duration> window) {
    JobDraft draft = draft(key);
    return new JobDraft(
        draft.lane(),
        1,
        draft.payload(),
        JobStart.NOW,
        draft.rules(),
        Optional.of(new UniqueKey(key, window)),
        Optional.empty(),
        Map.of());
  }
}
