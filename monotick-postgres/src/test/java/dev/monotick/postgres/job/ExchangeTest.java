package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.drafts;
import static dev.monotick.postgres.job.JobFixture.end;
import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.StoreException;
import dev.monotick.job.Enqueued;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.testkit.contract.StoreExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Turns: what ended is recorded, and what waits is claimed, once. */
@Tag("thorough")
final class ExchangeTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void jobsAreClaimedInTheOrderInWhichTheyCame() {
    List<Enqueued> added = fixture.add(20);
    List<ClaimedJob> first = fixture.claim(15);
    List<ClaimedJob> second = fixture.claim(15);
    assertThat(first).extracting(ClaimedJob::id).isEqualTo(ids(added).subList(0, 15));
    assertThat(second).extracting(ClaimedJob::id).isEqualTo(ids(added).subList(15, 20));
    assertThat(first).extracting(JobFixture::text).startsWith("n0", "n1", "n2");
    assertThat(first.get(0).lane()).isEqualTo(JobFixture.LANE);
    assertThat(first.get(0).rules()).isEqualTo(JobFixture.RULES);
    assertThat(fixture.counts()).isEqualTo("0 0 20 0 0 0 0");
  }

  @Test
  void largePayloadsAreLeftInTheDatabaseUntilTheyAreNeeded() {
    List<Enqueued> added =
        fixture.jobs.enqueue(
            EnqueueRequest.of(
                List.of(JobFixture.draft("x".repeat(8_192)), JobFixture.draft("x".repeat(8_193)))));
    List<ClaimedJob> claimed = fixture.claim(2);
    assertThat(claimed.get(0).payload()).hasSize(8_192);
    assertThat(claimed.get(1).payload()).isNull();
    assertThat(fixture.jobs.find(added.get(1).id()).orElseThrow().payload()).hasSize(8_193);
  }

  @Test
  void whatEndedIsRecordedAndTheNextJobsAreClaimedAtOnce() {
    fixture.add(4);
    List<ClaimedJob> claimed = fixture.claim(2);
    StoreExchange.Reply reply =
        fixture.wanting(2, success(claimed.get(1)), success(claimed.get(0))).with(fixture.jobs);
    assertThat(reply.finished()).containsExactly(true, true);
    assertThat(reply.jobs()).extracting(JobFixture::text).containsExactly("n2", "n3");
    assertThat(fixture.outcomes(claimed.get(0).id().value())).containsExactly("1 1 0");
    assertThat(fixture.counts()).isEqualTo("0 0 2 2 0 0 0");
    fixture.claim(0);
    assertThat(fixture.query("select cardinality(ids) from @job_claim"))
        .as("the first is deleted by the turn after the one that replaced it")
        .containsExactly("2");
  }

  @Test
  void aTurnThatIsRepeatedDoesNothingTwice() {
    fixture.add(6);
    List<ClaimedJob> claimed = fixture.claim(2);
    StoreExchange turn =
        fixture.wanting(
            2,
            success(claimed.get(0)),
            end(claimed.get(1), new Completion.Retried("no", Duration.ofHours(1))));
    StoreExchange.Reply once = turn.with(fixture.jobs);
    StoreExchange.Reply again = turn.with(fixture.jobs);
    assertThat(again.finished()).isEqualTo(once.finished()).containsExactly(true, true);
    assertThat(again.jobs()).extracting(ClaimedJob::run).isEqualTo(runs(once.jobs()));
    assertThat(fixture.counts()).isEqualTo("1 2 2 1 1 0 0");
    assertThat(fixture.query("select count(*) from @job_delayed")).containsExactly("1");
  }

  @Test
  void everyEndLeadsWhereItShould() {
    fixture.add(6);
    List<ClaimedJob> claimed = fixture.claim(6);
    List<Boolean> counted =
        fixture.finish(
            end(claimed.get(0), new Completion.Succeeded(new byte[] {1})),
            end(claimed.get(1), new Completion.Retried("no", Duration.ofHours(1))),
            end(claimed.get(2), new Completion.Snoozed(Duration.ofHours(1))),
            end(claimed.get(3), new Completion.Died("never")),
            end(claimed.get(4), new Completion.Discarded("gone")),
            end(claimed.get(5), new Completion.HandedBack()));
    assertThat(counted).hasSize(6).containsOnly(true);
    assertThat(fixture.counts()).isEqualTo("2 1 0 1 2 1 1");
    assertThat(fixture.query("select run, attempt, retrying from @job_delayed order by id"))
        .containsExactly("1 1 t", "1 0 f");
    assertThat(fixture.query("select id from @job_dead"))
        .containsExactly(claimed.get(3).id().toString());
    List<ClaimedJob> again = fixture.claim(6);
    assertThat(again).extracting(JobFixture::text).containsExactly("n5");
    assertThat(again.get(0).run().number()).isEqualTo(2);
    assertThat(again.get(0).run().attempt()).isEqualTo(1);
    fixture.claim(0);
    assertThat(fixture.query("select cardinality(ids) from @job_claim")).containsExactly("1");
  }

  @Test
  void theLastAttemptThatFailsIsTheDeathOfTheJob() {
    fixture.add(1);
    for (int attempt = 1; attempt <= 3; attempt++) {
      List<ClaimedJob> claimed = fixture.claim(1);
      assertThat(claimed).extracting(job -> job.run().attempt()).containsExactly(attempt);
      fixture.finish(end(claimed.get(0), new Completion.Retried("no", Duration.ZERO)));
    }
    assertThat(fixture.claim(1)).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 0 0 0 3 1 0");
  }

  @Test
  void unknownKindsAreLeftAlone() {
    fixture.add(1);
    StoreExchange other =
        new StoreExchange(fixture.replica, 99, List.of(), 5, Set.of("parcel"), Set.of());
    assertThat(other.with(fixture.jobs).jobs()).isEmpty();
    assertThat(fixture.claim(5)).hasSize(1);
  }

  @Test
  void veryManyLanesAreAllSeenTo() {
    List<JobDraft> drafts = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      drafts.add(draft(new Lane("mail", "letter", "tenant-" + i, 5), "a"));
      drafts.add(draft(new Lane("mail", "letter", "tenant-" + i, 5), "b"));
    }
    fixture.jobs.enqueue(EnqueueRequest.of(drafts));
    int claimed = 0;
    for (int turn = 0; turn < 40 && claimed < drafts.size(); turn++) {
      claimed += fixture.claim(100).size();
    }
    assertThat(claimed).isEqualTo(drafts.size());
  }

  /** As after a failover that lost the newest commits. */
  @Test
  void lanesWhoseVersionWentBackAreReadAgain() {
    fixture.add(1);
    fixture.claim(1);
    fixture.execute("update @job_rules_version set version = version - 1");
    fixture.add(1);
    assertThat(fixture.claim(5)).hasSize(1);
  }

  /** As after a failover that lost the newest commits, and made as many others since. */
  @Test
  void lanesAreReadAgainWhenAConnectionBroke() {
    String name = "lanes-" + UUID.randomUUID();
    String url = fixture.database.url() + "?ApplicationName=" + name;
    JobStore store = fixture.open(builder -> builder.url(url));
    store.enqueue(EnqueueRequest.of(drafts(1)));
    assertThat(fixture.wanting(5).with(store).jobs()).hasSize(1);
    fixture.execute("delete from @job_lane"); // under the same version
    fixture.execute("insert into @job_lane values (default, 'mail', 'letter', '', 5)");
    fixture.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = '"
            + name
            + "'");
    StoreExchange next = fixture.wanting(5);
    assertThatThrownBy(() -> next.with(store)).isInstanceOf(StoreException.class);
    store.enqueue(EnqueueRequest.of(drafts(1)));
    assertThat(next.with(store).jobs()).hasSize(1);
  }

  @Test
  void oneOfTwoEqualTurnsMadeAtTheSameTimeClaims() throws Exception {
    fixture.add(100);
    StoreExchange turn = fixture.wanting(10);
    List<StoreExchange.Reply> replies = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(new Thread(() -> replies.add(turn.with(fixture.jobs))));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(replies).hasSize(4);
    assertThat(replies).allMatch(reply -> runs(reply.jobs()).equals(runs(replies.get(0).jobs())));
    assertThat(fixture.counts()).isEqualTo("0 90 10 0 0 0 0");
  }

  /** Neither sees that the claim is over with it. */
  @Test
  void nothingIsLeftOfAClaimWhoseRunsWereReportedOnTwoLinesAtTheSameTime() throws Exception {
    for (int round = 0; round < 20; round++) {
      fixture.add(20);
      List<ClaimedJob> claimed = fixture.claim(20);
      List<StoreExchange.Reply> replies = new CopyOnWriteArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (List<ClaimedJob> half : List.of(claimed.subList(0, 10), claimed.subList(10, 20))) {
        threads.add(new Thread(() -> replies.add(fixture.finishAll(half))));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(replies).hasSize(2).allMatch(reply -> !reply.finished().contains(false));
      assertThat(fixture.query("select count(*) from @job_claim"))
          .as("only the newest is kept")
          .containsExactly("1");
    }
    assertThat(fixture.counts()).isEqualTo("0 0 0 400 0 0 0");
  }

  /** The row of its newest claim stays, and must not keep these jobs on record for ever. */
  @Test
  void jobsOfAReplicaThatBecameIdleAreForgotten() {
    fixture.add(2);
    List<ClaimedJob> claimed = fixture.claim(5);
    fixture.finish(success(claimed.get(0)));
    fixture.claim(5);
    assertThat(forget()).as("one of them runs, and one claim has both").isZero();
    fixture.finish(success(claimed.get(1)));
    assertThat(fixture.claim(5)).isEmpty();
    assertThat(forget()).isEqualTo(2);
    assertThat(fixture.query("select count(*) from @job_attempt")).containsExactly("0");
    assertThat(fixture.query("select ids from @job_claim")).containsExactly("{}");
  }

  @Test
  void aTurnThatFoundNothingIsStillRepeatedUnderItsNumber() {
    fixture.add(1);
    StoreExchange turn = fixture.wanting(5);
    List<ClaimedJob> claimed = turn.with(fixture.jobs).jobs();
    fixture.finish(success(claimed.get(0)));
    assertThat(fixture.claim(5)).isEmpty();
    fixture.add(1);
    StoreExchange.Reply late = turn.with(fixture.jobs);
    assertThat(late.jobs()).isEmpty();
    assertThat(late.used()).isTrue();
    assertThat(fixture.counts()).isEqualTo("0 1 0 1 0 0 0");
  }

  /** Copies of messages that the network kept for long. */
  @Test
  void lateMessagesDoNotReviveAJobThatWasForgotten() {
    fixture.add(1);
    ClaimedJob claimed = fixture.claim(5).get(0);
    String lane = fixture.query("select lanes[1] from @job_claim").get(0);
    fixture.finish(success(claimed));
    assertThat(fixture.claim(5)).isEmpty();
    assertThat(forget()).isEqualTo(1);
    String run =
        "array[%s]::bigint[], array[1], array[1]::smallint[]".formatted(claimed.id().value());
    assertThat(
            fixture.query(
                "select @job_complete('%s', row(%s, array[%s], array[0]::smallint[], array[1]::smallint[], array[0]::bigint[], array[0]::bigint[], array['no'], null, array[0]::bigint[], array[1], array(select number from @job_claim), null, null)::@job_completions)"
                    .formatted(fixture.replica.value(), run, lane)))
        .containsExactly("{f}");
    assertThat(
            fixture.query(
                "select @job_start_runs('%s', array(select number from @job_claim), array[%s]::bigint[], array[1], 0)"
                    .formatted(fixture.replica.value(), claimed.id().value())))
        .isEmpty();
    for (String table : List.of("job_attempt", "job_ready", "job_delayed", "job_run")) {
      assertThat(fixture.query("select count(*) from @" + table)).as(table).containsExactly("0");
    }
  }

  private long forget() {
    return Long.parseLong(
        fixture
            .query(
                "select @job_delete_ended(array(select id from @job), now() + interval '1 minute')")
            .get(0));
  }

  private static List<?> ids(List<Enqueued> added) {
    return added.stream().map(Enqueued::id).toList();
  }

  private static List<?> runs(List<ClaimedJob> jobs) {
    return jobs.stream().map(ClaimedJob::run).toList();
  }
}
