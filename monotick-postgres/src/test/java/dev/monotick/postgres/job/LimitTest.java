package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.end;
import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobStart;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits over all replicas. */
@Tag("thorough")
final class LimitTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void noMoreRunThanALimitAllowsAndWhatEndsMakesRoom() {
    limit("'letter', '', false, 3, null, null");
    fixture.add(10);
    List<ClaimedJob> claimed = fixture.claim(10);
    assertThat(claimed).hasSize(3);
    assertThat(fixture.claim(10)).isEmpty();
    assertThat(
            fixture
                .wanting(
                    10,
                    success(claimed.get(0)),
                    end(claimed.get(1), new Completion.Snoozed(Duration.ofHours(1))))
                .with(fixture.jobs)
                .jobs())
        .hasSize(2);
    assertThat(fixture.query("select running from @job_limit_use")).containsExactly("3");
    assertThat(fixture.query("select count(*) from @job_limit_hold")).containsExactly("3");
  }

  @Test
  void aReplicaThatIsGoneHoldsNothing() {
    limit("'letter', '', false, 2, null, null");
    fixture.add(3);
    MemberId gone = fixture.join();
    assertThat(fixture.wanting(gone, 5, List.of()).with(fixture.jobs).jobs()).hasSize(2);
    fixture.declareGone(gone);
    fixture.jobs.rescue();
    assertThat(fixture.query("select running from @job_limit_use")).containsExactly("0");
    assertThat(fixture.claim(5)).hasSize(2);
  }

  @Test
  void eachTenantHasALimitOfItsOwn() {
    limit("'letter', '*', false, 2, null, null");
    for (String tenant : List.of("a", "b")) {
      Lane lane = new Lane("mail", "letter", tenant, 5);
      fixture.jobs.enqueue(
          EnqueueRequest.of(
              List.of(draft(lane, tenant), draft(lane, tenant), draft(lane, tenant))));
    }
    assertThat(fixture.claim(10))
        .extracting(JobFixture::text)
        .containsExactlyInAnyOrder("a", "a", "b", "b");
  }

  @Test
  void aRateAllowsSoManyAndThenWaits() {
    limit("'letter', '', false, null, 2, 3600000");
    fixture.add(5);
    assertThat(fixture.claim(10)).hasSize(2);
    assertThat(fixture.wanting(10).with(fixture.jobs).nextDue().orElseThrow())
        .isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
    fixture.execute("update @job_limit_use set refilled_at = refilled_at - interval '31 minutes'");
    assertThat(fixture.claim(10)).hasSize(1);
  }

  @Test
  void aKeyThatIsFullHoldsUpNobodyElse() {
    limit("'letter', '', true, 1, null, null");
    fixture.jobs.enqueue(
        EnqueueRequest.of(List.of(keyed("a"), keyed("a"), keyed("a"), keyed("b"), draft("free"))));
    List<ClaimedJob> claimed = fixture.claim(3);
    assertThat(claimed).extracting(JobFixture::text).containsExactly("a", "b", "free");
    assertThat(fixture.counts()).isEqualTo("0 2 3 0 0 0 0");
    assertThat(fixture.claim(3)).isEmpty();
    for (int i = 0; i < 2; i++) {
      assertThat(fixture.finish(success(claimed.get(0)))).containsExactly(true);
      claimed = fixture.claim(3);
      assertThat(claimed).extracting(JobFixture::text).containsExactly("a");
    }
    assertThat(fixture.query("select count(*) from @job_blocked")).containsExactly("0");
  }

  @Test
  @Timeout(120)
  void limitsAreExactWhoeverClaims() throws Exception {
    limit("'letter', '', false, 7, null, null");
    fixture.add(400);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      JobStore store = i == 0 ? fixture.jobs : fixture.open(builder -> builder);
      MemberId replica = fixture.join();
      threads.add(
          new Thread(
              () -> {
                try {
                  work(store, replica, running, most, done);
                } catch (RuntimeException | Error e) {
                  failure.set(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failure.get()).isNull();
    assertThat(done).hasValue(400);
    assertThat(most.get()).isBetween(1, 7);
    assertThat(fixture.query("select running from @job_limit_use")).containsExactly("0");
    assertThat(fixture.query("select count(*) from @job_limit_hold")).containsExactly("0");
    assertThat(fixture.counts()).isEqualTo("0 0 0 400 0 0 0");
  }

  /** Counts as not running what is about to be reported, so that it counts never too much. */
  private void work(
      JobStore store,
      MemberId replica,
      AtomicInteger running,
      AtomicInteger most,
      AtomicInteger done) {
    List<Completion> finishes = List.of();
    while (done.get() < 400) {
      running.addAndGet(-finishes.size());
      List<ClaimedJob> claimed = fixture.wanting(replica, 3, finishes).with(store).jobs();
      done.addAndGet(finishes.size());
      most.accumulateAndGet(running.addAndGet(claimed.size()), Math::max);
      finishes = claimed.stream().map(JobFixture::success).toList();
    }
  }

  private void limit(String values) {
    fixture.execute(
        "insert into @job_limit (kind, tenant, per_key, running, rate_count, rate_millis) values ("
            + values
            + ")");
    fixture.execute("update @job_rules_version set version = version + 1");
  }

  private static JobDraft keyed(String key) {
    JobDraft draft = draft(key);
    return new JobDraft(
        draft.lane(),
        1,
        draft.payload(),
        JobStart.NOW,
        draft.rules(),
        Optional.empty(),
        Optional.of(key),
        Map.of());
  }
}
