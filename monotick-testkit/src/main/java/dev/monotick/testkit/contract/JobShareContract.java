package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.job.JobId;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every job store shares its replicas between lanes by weight, and gives nothing of what is paused.
 */
@Timeout(120)
public abstract class JobShareContract extends JobStoreContract {

  /** For backends. */
  protected JobShareContract() {}

  @Test
  void moreUrgentJobsAreTakenFirst() {
    enqueue(5, aJob().priority(9));
    JobId urgent = enqueue(aJob().priority(0));
    assertThat(claimOne(a).id()).isEqualTo(urgent);
  }

  @Test
  void leastUrgentIsTakenBesideAFloodOfTheMostUrgent() {
    enqueue(600, aJob().priority(0));
    JobId patient = enqueue(aJob().priority(9));
    assertThat(ids(claim(a, 550))).contains(patient);
  }

  @Test
  void floodOfOneTenantDoesNotDelayAnother() {
    enqueue(500, aJob().tenant("flood").priority(0));
    JobId small = enqueue(aJob().tenant("small").priority(9));
    assertThat(ids(claim(a, 10))).contains(small);
  }

  @Test
  void tenantOfTwiceTheWeightGetsTwiceAsMuch() {
    jobs().setTenantWeight("heavy", 4);
    jobs().setTenantWeight("heavy", 3);
    enqueue(100, aJob().tenant("heavy"));
    enqueue(100, aJob().tenant("light"));
    int heavy = 0;
    for (int i = 0; i < 5; i++) {
      List<ClaimedJob> runs = claim(a, 8);
      assertThat(runs).hasSize(8);
      heavy += (int) runs.stream().filter(run -> run.lane().tenant().equals("heavy")).count();
    }
    assertThat(heavy).isBetween(28, 32);
  }

  @Test
  void whatATenantDoesNotUseIsForTheOthers() {
    jobs().setTenantWeight("heavy", 100);
    enqueue(2, aJob().tenant("heavy"));
    enqueue(100, aJob().tenant("light"));
    assertThat(claim(a, 50)).hasSize(50);
  }

  @Test
  void pausedQueueAndKindAreNotClaimed() {
    JobId inQueue = enqueue(aJob().queue("slow"));
    JobId ofKind = enqueue(aJob().kind(OTHER_KIND));
    JobId free = enqueue(aJob());
    jobs().pause(pause(JobPause.Of.QUEUE, "slow", "ann"));
    jobs().pause(pause(JobPause.Of.KIND, OTHER_KIND, "ann"));
    assertThat(ids(claim(a, 10))).containsExactly(free);
    assertThat(claim(b, 10)).isEmpty();
    assertThat(exchange(b, 10).more()).isFalse();
    assertThat(states(List.of(inQueue, ofKind))).containsOnly(JobState.READY);
    assertThat(jobs().resume(JobPause.Of.QUEUE, "slow")).isTrue();
    assertThat(ids(claim(a, 10))).containsExactly(inQueue);
    assertThat(jobs().resume(JobPause.Of.KIND, OTHER_KIND)).isTrue();
    assertThat(ids(claim(a, 10))).containsExactly(ofKind);
  }

  @Test
  void pauseOfAKindIsNoPauseOfAQueueOfThatName() {
    JobId id = enqueue(aJob().queue(OTHER_KIND));
    jobs().pause(pause(JobPause.Of.KIND, OTHER_KIND, "ann"));
    assertThat(claimOne(a).id()).isEqualTo(id);
  }

  @Test
  void whatIsPausedStaysAsItIs() {
    JobPause first = pause(JobPause.Of.QUEUE, DraftBuilder.QUEUE, "ann");
    jobs().pause(first);
    jobs().pause(pause(JobPause.Of.QUEUE, DraftBuilder.QUEUE, "bob"));
    assertThat(jobs().pauses()).hasSize(1);
    JobPause shown = jobs().pauses().get(0);
    assertThat(shown.of()).isEqualTo(first.of());
    assertThat(shown.name()).isEqualTo(first.name());
    assertThat(shown.by()).isEqualTo("ann");
    assertThat(shown.note()).isEqualTo(first.note());
    assertThat(jobs().resume(JobPause.Of.QUEUE, DraftBuilder.QUEUE)).isTrue();
    assertThat(jobs().resume(JobPause.Of.QUEUE, DraftBuilder.QUEUE)).isFalse();
    assertThat(jobs().pauses()).isEmpty();
  }

  @Test
  void jobsOfAPausedQueueEndAndBecomeDueAsEver() {
    JobId running = enqueue(aJob());
    ClaimedJob run = claimOne(a);
    JobId delayed = enqueue(aJob().after(HOUR));
    jobs().pause(pause(JobPause.Of.QUEUE, DraftBuilder.QUEUE, "ann"));
    succeed(a, run);
    jobs().reschedule(delayed, longAgo());
    expectSoon(delayed, JobState.READY);
    assertThat(claim(a, 1)).isEmpty();
    assertThat(state(running)).isEqualTo(JobState.SUCCEEDED);
  }

  private JobPause pause(JobPause.Of of, String name, String by) {
    Instant since = jobs().now().truncatedTo(ChronoUnit.MILLIS);
    return new JobPause(of, name, by, "upgrade", since);
  }
}
