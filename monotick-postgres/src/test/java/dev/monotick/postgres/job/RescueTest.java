package dev.monotick.postgres.job;

import static dev.monotick.postgres.job.JobFixture.draft;
import static dev.monotick.postgres.job.JobFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.Job;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.contract.StoreExchange;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of the runs of replicas that are gone. */
@Tag("thorough")
final class RescueTest {

  private final JobFixture fixture = new JobFixture();

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void runsOfTheLivingAreLeftAlone() {
    fixture.add(2);
    fixture.claim(2);
    assertThat(fixture.jobs.rescue()).isZero();
    assertThat(fixture.claim(2)).isEmpty();
  }

  /** As when the server was frozen, the turn was sent again, and the first one is executed last. */
  @Test
  void lateRepetitionOfATurnClaimsNothing() {
    fixture.add(1);
    StoreExchange first = fixture.wanting(5);
    ClaimedJob job = first.with(fixture.jobs).jobs().get(0);
    fixture.wanting(0, success(job)).with(fixture.jobs);
    fixture.add(3);
    StoreExchange second = fixture.wanting(1);
    ClaimedJob known = second.with(fixture.jobs).jobs().get(0);
    fixture.claim(0);
    JobStore connectionOfLongAgo = fixture.open(builder -> builder);
    assertThat(first.with(connectionOfLongAgo).jobs()).isEmpty();
    assertThat(first.with(connectionOfLongAgo).used()).isTrue();
    assertThat(fixture.jobs.rescue()).isZero();
    List<ClaimedJob> again = fixture.claim(5);
    assertThat(again).hasSize(2).allMatch(each -> each.run().attempt() == 1);
    assertThat(again).noneMatch(each -> each.id().equals(known.id()));
  }

  @Test
  void tenThousandJobsOfAReplicaThatIsGoneAreReadyAgainAtOnce() {
    fixture.add(10_000);
    MemberId gone = fixture.join();
    for (int i = 0; i < 20; i++) {
      fixture.wanting(gone, 500, List.of()).with(fixture.jobs);
    }
    assertThat(fixture.counts()).isEqualTo("0 0 10000 0 0 0 0");
    fixture.declareGone(gone);
    assertThat(fixture.jobs.rescue()).isEqualTo(10_000);
    assertThat(fixture.jobs.rescue()).isZero();
    assertThat(fixture.counts()).isEqualTo("0 10000 0 0 0 0 0");
    List<ClaimedJob> claimed = fixture.claim(10_000);
    assertThat(claimed).hasSize(10_000);
    assertThat(claimed).allMatch(job -> job.run().number() == 2 && job.run().attempt() == 1);
  }

  /** Attempts are dropped before the jobs that they are of; then nothing tells that a run ended. */
  @Test
  void runsWhoseHistoryWasDroppedCannotReportOrGoOn() {
    fixture.add(4);
    List<ClaimedJob> claimed = fixture.claim(4);
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isEqualTo(4);
    MemberId other = fixture.join();
    List<ClaimedJob> runs = fixture.wanting(other, 4, List.of()).with(fixture.jobs).jobs();
    fixture.wanting(other, 0, runs.stream().map(JobFixture::success).toList()).with(fixture.jobs);
    fixture.execute("delete from @job_attempt");
    expectToBeRefused(claimed.get(0), claimed.get(1));
    fixture.execute("delete from @job");
    expectToBeRefused(claimed.get(2), claimed.get(3));
    assertThat(fixture.wanting(other, 4, List.of()).with(fixture.jobs).jobs()).isEmpty();
    assertThat(fixture.counts()).isEqualTo("0 0 0 4 0 0 0");
  }

  private void expectToBeRefused(ClaimedJob reported, ClaimedJob noted) {
    Completion retry =
        new Completion(reported, new Retried("no", Duration.ZERO), null, Duration.ZERO);
    assertThat(fixture.finish(retry)).containsExactly(false);
    assertThat(fixture.jobs.start(fixture.replica, List.of(noted.run()), Instant.now())).isEmpty();
    List<Job.LogLine> lines = List.of(new Job.LogLine(Instant.now(), "half way"));
    RunProgress note = new RunProgress(noted.run(), Instant.now(), 0.5, "half way", lines);
    assertThat(fixture.jobs.note(fixture.replica, List.of(note))).containsExactly(noted.run());
    assertThat(fixture.jobs.log(noted.id(), 10)).isEmpty();
  }

  @Test
  void whatAZombieReportsDoesNotCount() {
    fixture.add(3);
    List<ClaimedJob> claimed = fixture.claim(3);
    assertThat(fixture.finish(success(claimed.get(0)))).containsExactly(true);
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isEqualTo(2);
    assertThat(fixture.finish(success(claimed.get(1)), success(claimed.get(0))))
        .containsExactly(false, true);
    assertThat(
            fixture.jobs.note(
                fixture.replica,
                List.of(
                    new RunProgress(
                        claimed.get(2).run(), fixture.jobs.now(), null, null, List.of()))))
        .containsExactly(claimed.get(2).run());
    assertThat(fixture.counts()).isEqualTo("0 2 0 1 0 0 0");
  }

  /** Retention may have dropped the attempts while the replica was frozen. */
  @Test
  void withoutAClaimNothingBeginsOrEndsThoughNoAttemptIsLeft() {
    fixture.add(1);
    ClaimedJob lost = fixture.claim(1).get(0);
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isEqualTo(1);
    fixture.execute("delete from @job_attempt");
    assertThat(fixture.jobs.start(fixture.replica, List.of(lost.run()), fixture.jobs.now()))
        .as("begun")
        .isEmpty();
    assertThat(fixture.finish(JobFixture.success(lost))).as("reported").containsExactly(false);
    assertThat(fixture.outcomes(lost.id().value())).isEmpty();
  }

  @Test
  void aJobThatTakesItsReplicaWithItThreeTimesIsDead() {
    fixture.add(1);
    long id = 0;
    for (int crash = 1; crash <= 3; crash++) {
      MemberId doomed = fixture.join();
      List<ClaimedJob> claimed = fixture.wanting(doomed, 1, List.of()).with(fixture.jobs).jobs();
      assertThat(claimed).extracting(job -> job.run().attempt()).containsExactly(1);
      fixture.jobs.start(doomed, List.of(claimed.get(0).run()), fixture.jobs.now());
      id = claimed.get(0).id().value();
      fixture.declareGone(doomed);
      assertThat(fixture.jobs.rescue()).isEqualTo(1);
    }
    assertThat(fixture.claim(1)).isEmpty();
    assertThat(fixture.outcomes(id)).containsExactly("1 1 6", "2 1 6", "3 1 7");
    assertThat(fixture.counts()).isEqualTo("0 0 0 0 0 1 0");
    assertThat(fixture.query("select id from @job_dead")).containsExactly(Long.toString(id));
  }

  /** Crashes are counted in two bits beside others. */
  @Test
  void crashesThatDoNotCountLeaveTheFlagsAlone() {
    fixture.add(1);
    fixture.execute("update @job_ready set flags = 65");
    for (int crash = 1; crash <= 4; crash++) {
      MemberId doomed = fixture.join();
      fixture.wanting(doomed, 1, List.of()).with(fixture.jobs);
      fixture.declareGone(doomed);
      assertThat(fixture.jobs.rescue()).isEqualTo(1);
    }
    assertThat(fixture.query("select flags from @job_ready")).containsExactly("193");
  }

  @Test
  void aJobThatMayNotRunTwiceIsUnknown() {
    JobDraft draft = draft("once");
    JobRules rules =
        new JobRules(
            3, Duration.ofMinutes(1), Optional.empty(), Effect.AT_MOST_ONCE, Optional.empty());
    fixture.jobs.enqueue(
        EnqueueRequest.of(
            List.of(
                new JobDraft(
                    draft.lane(),
                    1,
                    draft.payload(),
                    JobStart.NOW,
                    rules,
                    Optional.empty(),
                    Optional.empty(),
                    Map.of()))));
    ClaimedJob claimed = fixture.claim(1).get(0);
    long id = claimed.id().value();
    fixture.jobs.start(fixture.replica, List.of(claimed.run()), fixture.jobs.now());
    fixture.declareGone(fixture.replica);
    assertThat(fixture.jobs.rescue()).isEqualTo(1);
    assertThat(fixture.outcomes(id)).containsExactly("1 1 8");
    assertThat(fixture.counts()).isEqualTo("0 0 0 0 0 0 1");
  }

  @Test
  void notesTellWhatARunDoesAndGoWithIt() {
    fixture.add(1);
    ClaimedJob job = fixture.claim(1).get(0);
    Instant started = fixture.jobs.now();
    RunProgress note =
        new RunProgress(
            job.run(),
            started,
            0.5,
            "half",
            List.of(new Job.LogLine(started, "one"), new Job.LogLine(started, "two")));
    assertThat(fixture.jobs.note(fixture.replica, List.of(note))).isEmpty();
    assertThat(fixture.query("select run, progress, doing from @job_run"))
        .containsExactly("1 0.5 half");
    assertThat(fixture.query("select text from @job_log order by number"))
        .containsExactly("one", "two");
    fixture.finish(success(job));
    assertThat(fixture.query("select 1 from @job_run")).isEmpty();
  }
}
