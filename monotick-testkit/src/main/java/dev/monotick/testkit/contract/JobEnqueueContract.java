package dev.monotick.testkit.contract;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobCount;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.QueueFullException;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every job store takes jobs as they were wanted: all or none, each once, not before its time. */
@Timeout(120)
public abstract class JobEnqueueContract extends JobStoreContract {

  /** For backends. */
  protected JobEnqueueContract() {}

  @Test
  void jobIsKeptAsItWasWanted() {
    Instant deadline = jobs().now().plus(HOUR).truncatedTo(ChronoUnit.MILLIS);
    DraftBuilder wish =
        aJob()
            .queue("bulk")
            .kind("Send.v2")
            .tenant("acme")
            .priority(3)
            .version(7)
            .payload(new byte[] {0, 1, -1, 'x'})
            .maxAttempts(11)
            .deadline(deadline)
            .unique("order-1")
            .limitKey("smtp")
            .headers(Map.of("traceparent", "00-1", "who", "ünï \"quoted\", {braced} \\"));
    JobId id = enqueue(wish);
    Job job = job(id);
    assertThat(job.id()).isEqualTo(id);
    assertThat(job.lane()).isEqualTo(lane("bulk", "Send.v2", "acme", 3));
    assertThat(job.version()).isEqualTo(7);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.payload()).containsExactly(0, 1, -1, 'x');
    assertThat(job.rules()).isEqualTo(wish.draft().rules());
    assertThat(job.createdAt()).isCloseTo(jobs().now(), within(1, ChronoUnit.MINUTES));
    assertThat(job.dueAt()).isEmpty();
    assertThat(job.uniqueKey()).contains("order-1");
    assertThat(job.limitKey()).contains("smtp");
    assertThat(job.parent()).isEmpty();
    assertThat(job.headers()).isEqualTo(wish.draft().headers());
    assertThat(job.run()).isEmpty();
    assertThat(job.attempts()).isEmpty();
    assertThat(job.result()).isEmpty();
  }

  @Test
  void earliestAndLatestMomentsAreKept() {
    Instant earliest = Instant.EPOCH;
    Instant latest = Instant.parse("2200-01-01T00:00:00Z");
    JobId expired = enqueue(aJob().after(HOUR).deadline(earliest));
    JobId never = enqueue(aJob().notBefore(latest).deadline(latest));
    JobId now = enqueue(aJob().notBefore(earliest).deadline(latest));
    assertThat(claimOne(a).id()).isEqualTo(now);
    expectSoon(expired, JobState.EXPIRED);
    assertThat(job(never).dueAt()).contains(latest);
    assertThat(job(never).rules().deadline()).contains(latest);
  }

  @Test
  void replicaGetsTheJobAsItWasWanted() {
    DraftBuilder wish =
        aJob()
            .tenant("acme")
            .version(7)
            .payload("{}".getBytes(UTF_8))
            .limitKey("smtp")
            .headers(Map.of("traceparent", "00-1"));
    JobId id = enqueue(wish);
    ClaimedJob claimed = claimOne(a);
    assertThat(claimed.id()).isEqualTo(id);
    assertThat(claimed.lane()).isEqualTo(wish.draft().lane());
    assertThat(claimed.version()).isEqualTo(7);
    assertThat(claimed.payload()).asString(UTF_8).isEqualTo("{}");
    assertThat(claimed.rules()).isEqualTo(wish.draft().rules());
    assertThat(claimed.limitKey()).contains("smtp");
    assertThat(claimed.readyAt()).isCloseTo(jobs().now(), within(1, ChronoUnit.MINUTES));
    assertThat(claimed.headers()).containsExactly(Map.entry("traceparent", "00-1"));
  }

  @Test
  void payloadMayBeEmptyAndLarge() {
    byte[] large = new byte[300_000];
    large[299_999] = 42;
    List<JobId> ids = enqueueAll(Follow.NONE, aJob().payload(new byte[0]), aJob().payload(large));
    List<ClaimedJob> claimed = claim(a, 2);
    assertThat(claimed.get(0).payload()).isEmpty();
    assertThat(claimed.get(1).payload()).isIn(null, large);
    assertThat(job(ids.get(1)).payload()).as("while it runs").isEqualTo(large);
  }

  @Test
  void repliesAreInTheOrderOfTheDraftsAndYoungerJobsHaveGreaterIds() {
    List<JobId> first = enqueueAll(Follow.NONE, aJob().priority(9), aJob().kind("a"), aJob());
    List<JobId> second = enqueueAll(Follow.NONE, aJob().priority(0), aJob());
    assertThat(job(first.get(0)).lane().priority()).isEqualTo(9);
    assertThat(job(first.get(1)).lane().kind()).isEqualTo("a");
    assertThat(first).isSorted();
    assertThat(second).isSorted().allMatch(id -> id.compareTo(first.get(2)) > 0);
  }

  @Test
  void orderMayBeEmptyOrVeryLarge() {
    assertThat(jobs().enqueue(EnqueueRequest.of(List.of()))).isEmpty();
    List<JobId> ids = enqueue(2_000, aJob());
    assertThat(ids).doesNotHaveDuplicates().isSorted();
    assertThat(ids(claim(a, 2_000))).isEqualTo(ids);
  }

  @Test
  void parentIsRemembered() {
    JobId parent = enqueue(aJob());
    List<Enqueued> children =
        enqueue(
            new EnqueueRequest(
                List.of(aJob().draft()), Follow.NONE, Optional.of(parent), Optional.empty()));
    assertThat(job(children.get(0).id()).parent()).contains(parent);
  }

  @Test
  void jobThatIsDelayedWaitsForItsTime() {
    JobId id = enqueue(aJob().after(HOUR));
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(job(id).dueAt().orElseThrow())
        .isCloseTo(jobs().now().plus(HOUR), within(1, ChronoUnit.MINUTES));
    assertThat(claim(a, 1)).isEmpty();
    Optional<Duration> nextDue = exchange(a, 1).nextDue();
    assertThat(nextDue).isPresent();
    assertThat(nextDue.get()).isPositive().isLessThanOrEqualTo(HOUR);
  }

  @Test
  void laterOfDelayAndMomentCounts() {
    Instant soon = jobs().now().plus(HOUR).truncatedTo(ChronoUnit.MILLIS);
    Instant late = soon.plus(HOUR);
    JobId byMoment = enqueue(aJob().after(HOUR.dividedBy(2)).notBefore(late));
    JobId byDelay = enqueue(aJob().after(HOUR.multipliedBy(2)).notBefore(soon.minus(HOUR)));
    assertThat(job(byMoment).dueAt()).contains(late);
    assertThat(job(byDelay).dueAt().orElseThrow()).isCloseTo(late, within(1, ChronoUnit.MINUTES));
  }

  @Test
  void jobIsReadyOnceItsTimeHasCome() {
    JobId delayed = enqueue(aJob().after(SHORT));
    JobId past = enqueue(aJob().kind(OTHER_KIND).notBefore(longAgo()));
    assertThat(state(past)).as("its moment is over").isEqualTo(JobState.READY);
    letTimePass(SHORT.multipliedBy(2));
    assertThat(ids(claim(a, 2))).containsExactlyInAnyOrder(delayed, past);
  }

  @Test
  void jobWithTheSameKeyIsTheOneThatHasIt() {
    JobId id = enqueue(aJob().unique("k"));
    assertThat(enqueue(EnqueueRequest.of(List.of(aJob().unique("k").draft()))))
        .containsExactly(new Enqueued(id, false));
    List<Enqueued> mixed =
        enqueue(
            EnqueueRequest.of(
                List.of(aJob().draft(), aJob().unique("k").priority(1).draft(), aJob().draft())));
    assertThat(mixed).extracting(Enqueued::isNew).containsExactly(true, false, true);
    assertThat(mixed.get(1).id()).isEqualTo(id);
    assertThat(claim(a, 10)).hasSize(3);
  }

  @Test
  void keyIsThatOfAKindAndATenant() {
    enqueue(aJob().unique("k"));
    enqueue(aJob().unique("K"));
    enqueue(aJob().unique("k").kind(OTHER_KIND));
    enqueue(aJob().unique("k").tenant("acme"));
    assertThat(enqueue(EnqueueRequest.of(List.of(aJob().unique("k").queue("else").draft()))))
        .as("the queue does not matter")
        .noneMatch(Enqueued::isNew);
  }

  @Test
  void keyWantedTwiceInOneOrderIsGivenOnce() {
    List<Enqueued> replies =
        enqueue(
            EnqueueRequest.of(
                List.of(
                    aJob().unique("k").draft(),
                    aJob().unique("other").draft(),
                    aJob().unique("k").draft())));
    assertThat(replies).extracting(Enqueued::isNew).containsExactly(true, true, false);
    assertThat(replies.get(2).id()).isEqualTo(replies.get(0).id());
    assertThat(claim(a, 10)).hasSize(2);
  }

  @Test
  void jobHasItsKeyUntilItEnds() {
    JobId first = enqueue(aJob().unique("k"));
    ClaimedJob run = claimOne(a);
    assertThat(isTaken("k")).as("while it runs").isTrue();
    complete(a, run, new Completion.Retried("no", HOUR));
    assertThat(isTaken("k")).as("while it waits to be tried again").isTrue();
    jobs().reschedule(first, longAgo());
    succeed(a, claimOne(a));
    assertThat(isTaken("k")).as("after its end").isFalse();
  }

  @Test
  void everyEndGivesTheKeyFree() {
    enqueue(aJob().unique("died"));
    complete(a, claimOne(a), new Completion.Died("no"));
    enqueue(aJob().unique("discarded"));
    complete(a, claimOne(a), new Completion.Discarded("no"));
    enqueue(aJob().unique("lost").atMostOnce());
    begin(b, claimOne(b));
    loseAndRescue(b);
    jobs().cancel(enqueue(aJob().unique("cancelled")), "ann", "no");
    jobs().reject(enqueue(aJob().unique("rejected").approval(HOUR)), "ann", "no");
    expectSoon(enqueue(aJob().unique("expired").deadline(longAgo())), JobState.EXPIRED);
    assertThat(List.of("died", "discarded", "lost", "cancelled", "rejected", "expired"))
        .noneMatch(this::isTaken);
  }

  @Test
  void jobHasAKeyWithAWindowWhateverBecomesOfIt() {
    Duration window = SHORT.multipliedBy(4);
    JobId brief = enqueue(aJob().unique("brief", window));
    JobId longer = enqueue(aJob().unique("longer", HOUR));
    claim(a, 2).forEach(run -> succeed(a, run));
    assertThat(isTaken("longer")).isTrue();
    letTimePass(window);
    assertThat(isTaken("brief")).isFalse();
    assertThat(isTaken("longer")).isTrue();
    assertThat(states(List.of(brief, longer))).containsOnly(JobState.SUCCEEDED);
  }

  @Test
  void keyWithAWindowIsFreeAfterItEvenIfTheJobIsNotOver() {
    enqueue(aJob().after(HOUR).unique("k", SHORT));
    letTimePass(SHORT.multipliedBy(2));
    assertThat(isTaken("k")).isFalse();
  }

  @Test
  void oneOfManyRacingForAKeyIsNew() {
    List<Enqueued> replies =
        Race.run(10, i -> enqueue(EnqueueRequest.of(List.of(aJob().unique("k").draft()))).get(0));
    assertThat(replies).filteredOn(Enqueued::isNew).hasSize(1);
    assertThat(replies).extracting(Enqueued::id).containsOnly(replies.get(0).id());
  }

  @Test
  void queueAtItsDepthTakesNoMore() {
    enqueue(2, aJob());
    EnqueueRequest order =
        new EnqueueRequest(
            List.of(aJob().queue("else").draft(), aJob().draft()),
            Follow.NONE,
            Optional.empty(),
            Optional.of(2L));
    assertThatThrownBy(() -> jobs().enqueue(order))
        .isInstanceOf(QueueFullException.class)
        .hasMessageContaining(DraftBuilder.QUEUE)
        .hasMessageContaining("2");
    assertThat(jobs().counts().stream().mapToLong(JobCount::ready).sum())
        .as("nothing was added")
        .isEqualTo(2);
    succeed(a, claimOne(a));
    assertThat(enqueue(order)).as("there is room again").allMatch(Enqueued::isNew);
  }

  @Test
  void listenersAreNotifiedOfNewJobs() throws InterruptedException {
    needs(Capability.SIGNALS);
    CountDownLatch added = new CountDownLatch(1);
    CountDownLatch woken = new CountDownLatch(1);
    jobs().onReady(queues -> count(queues, "fresh", added));
    jobs().onReady(queues -> count(queues, "woken", woken));
    enqueue(aJob().queue("fresh"));
    assertThat(added.await(30, TimeUnit.SECONDS)).isTrue();
    jobs().notifyWorkers(Set.of("woken"));
    assertThat(woken.await(30, TimeUnit.SECONDS)).isTrue();
  }

  private static void count(Set<String> queues, String queue, CountDownLatch latch) {
    if (queues.contains(queue)) {
      latch.countDown();
    }
  }

  /** Asks for a job with the key; calls it off at once if it is a new one. */
  private boolean isTaken(String key) {
    Enqueued reply =
        enqueue(EnqueueRequest.of(List.of(aJob().after(HOUR).unique(key).draft()))).get(0);
    if (reply.isNew()) {
      jobs().cancel(reply.id(), "test", "only asked");
    }
    return !reply.isNew();
  }
}
