package dev.monotick.memory;

import static dev.monotick.testkit.contract.DraftBuilder.aJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.monotick.error.StoreException;
import dev.monotick.job.JobFilter;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobStart;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Succeeded;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.EnqueueRequest.Follow;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.testkit.FakeTime;
import dev.monotick.testkit.contract.DraftBuilder;
import dev.monotick.testkit.contract.StoreExchange;
import dev.monotick.testkit.fault.FaultyStore;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the jobs of an {@link InMemoryStore} do beyond what every job store must. */
final class InMemoryJobStoreTest {

  private static final Set<String> KINDS = Set.of(DraftBuilder.KIND);

  private final FakeTime time = new FakeTime();
  private final InMemoryStore store =
      InMemoryStore.builder().time(time.timeSource()).endedJobs(3).build();
  private final FaultyStore link = FaultyStore.to(store);
  private final JobStore jobs = store.jobs();
  private final JobStore linked = link.jobs();
  private final MemberId a = MemberId.random();
  private long number;

  @BeforeEach
  void join() {
    store.replicas().join(new MemberInfo(a, "host-a", FakeTime.START, Set.of()), false);
  }

  @Test
  void oldestOfTheJobsThatEndedAreForgottenButNoDeadLetters() {
    List<JobId> ids = enqueue(aJob(), aJob(), aJob(), aJob(), aJob(), aJob());
    List<ClaimedJob> runs = claim(6);
    finish(runs.get(0), new Died("no"));
    for (ClaimedJob run : runs.subList(1, 6)) {
      finish(run, new Succeeded(null));
    }
    assertThat(jobs.list(JobFilter.in(JobState.SUCCEEDED), 10))
        .extracting(job -> job.id())
        .containsExactly(ids.get(5), ids.get(4), ids.get(3));
    assertThat(jobs.find(ids.get(1))).isEmpty();
    assertThat(jobs.find(ids.get(0))).isPresent();
    assertThat(jobs.counts().get(0).succeeded()).as("ever").isEqualTo(5);
  }

  @Test
  void turnThatArrivesOnceMoreAfterANewerOneClaimsNothing() {
    StoreExchange turn = new StoreExchange(a, 1, List.of(), 5, KINDS, Set.of());
    assertThat(turn.with(jobs).jobs()).isEmpty();
    StoreExchange next = new StoreExchange(a, 2, List.of(), 5, KINDS, Set.of());
    assertThat(next.with(jobs).jobs()).isEmpty();
    JobId id = enqueue(aJob()).get(0);
    assertThat(turn.with(jobs).jobs()).as("the replica would never learn of it").isEmpty();
    assertThat(jobs.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
    assertThat(next.with(jobs).jobs()).hasSize(1);
  }

  @Test
  void transactionalJobsAreRefusedBecauseThereIsNoDatabase() {
    JobRules rules =
        new JobRules(
            1, Duration.ofMinutes(1), Optional.empty(), Effect.TRANSACTIONAL, Optional.empty());
    JobDraft draft =
        new JobDraft(
            new Lane("q", "pay", "", 5),
            1,
            new byte[0],
            JobStart.NOW,
            rules,
            Optional.empty(),
            Optional.empty(),
            Map.of());
    EnqueueRequest order = EnqueueRequest.of(List.of(aJob().draft(), draft));
    assertThatThrownBy(() -> jobs.enqueue(order))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("pay")
        .hasMessageContaining("TRANSACTIONAL");
    assertThat(jobs.list(JobFilter.in(JobState.READY), 10)).isEmpty();
  }

  @Test
  void rateTellsWhenTheNextMayBegin() {
    JobLimit.Rate rate = new JobLimit.Rate(4, Duration.ofSeconds(8));
    JobLimit.Scope scope = new JobLimit.Scope(DraftBuilder.KIND, "", false);
    jobs.limit(new JobLimit(scope, Optional.empty(), Optional.of(rate)));
    enqueue(aJob(), aJob(), aJob(), aJob(), aJob(), aJob());
    assertThat(claim(10)).hasSize(4);
    StoreExchange.Reply reply = turn(10).with(jobs);
    assertThat(reply.jobs()).isEmpty();
    assertThat(reply.more()).isFalse();
    assertThat(reply.nextDue()).contains(Duration.ofSeconds(2));
    time.advance(Duration.ofMillis(1_999));
    assertThat(claim(10)).isEmpty();
    time.advance(Duration.ofMillis(1));
    assertThat(claim(10)).hasSize(1);
    time.jumpWallClock(Duration.ofHours(-1));
    assertThat(claim(10)).isEmpty();
    time.advance(Duration.ofSeconds(2));
    assertThat(claim(10)).as("a clock that was set back costs no hour").hasSize(1);
  }

  @Test
  void longChainIsCalledOffAsAWhole() {
    DraftBuilder[] wishes = new DraftBuilder[20_000];
    Arrays.fill(wishes, aJob());
    List<JobDraft> drafts = Arrays.stream(wishes).map(DraftBuilder::draft).toList();
    List<JobId> ids = new ArrayList<>();
    jobs.enqueue(new EnqueueRequest(drafts, Follow.CHAIN, Optional.empty(), Optional.empty()))
        .forEach(reply -> ids.add(reply.id()));
    jobs.cancel(ids.get(0), "ann", "no");
    assertThat(jobs.counts().get(0).ended()).isEqualTo(20_000);
    assertThat(claim(1)).isEmpty();
  }

  @Test
  void listenersAreToldOnlyOfQueuesThatHaveJobsToTake() {
    List<String> told = new ArrayList<>();
    jobs.onReady(told::addAll);
    enqueue(aJob().queue("later").after(Duration.ofHours(1)));
    assertThat(told).isEmpty();
    enqueue(aJob().queue("now"));
    assertThat(told).containsExactly("now");
    claim(5);
    time.advance(Duration.ofHours(1));
    new StoreExchange(a, ++number, List.of(), 1, Set.of("other"), Set.of()).with(jobs);
    assertThat(told).containsExactly("now", "later");
  }

  @Test
  void noCallPassesACutLink() {
    link.cut();
    calls()
        .forEach(
            (name, call) ->
                assertThatThrownBy(call)
                    .as(name)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("link"));
    assertThat(jobs.counts()).isEmpty();
    assertThat(jobs.limits()).isEmpty();
    assertThat(jobs.pauses()).isEmpty();
    assertThat(linked.now()).isEqualTo(FakeTime.START);
    assertThatCode(() -> linked.notifyWorkers(Set.of("q"))).doesNotThrowAnyException();
    link.heal();
    calls().forEach((name, call) -> assertThatCode(call).as(name).doesNotThrowAnyException());
  }

  @Test
  void everyReplyIsLostButTheCallTakesEffect() {
    link.loseReplies();
    calls()
        .forEach(
            (name, call) -> assertThatThrownBy(call).as(name).isInstanceOf(StoreException.class));
    assertThat(jobs.counts()).hasSize(1);
    assertThat(jobs.pauses()).isEmpty();
  }

  @Test
  void turnWhoseReplyWasLostIsSentAgain() {
    List<JobId> ids = enqueue(aJob(), aJob(), aJob());
    StoreExchange turn = turn(2);
    link.loseReplies();
    assertThatThrownBy(() -> turn.with(linked)).isInstanceOf(StoreException.class);
    link.heal();
    assertThat(turn.with(linked).jobs())
        .extracting(ClaimedJob::id)
        .containsExactly(ids.get(0), ids.get(1));
    assertThat(jobs.find(ids.get(2)).orElseThrow().state()).isEqualTo(JobState.READY);
  }

  @Test
  void hintsDoNotComeThroughABrokenLink() {
    List<String> told = new ArrayList<>();
    linked.onReady(told::addAll);
    link.cut();
    enqueue(aJob());
    jobs.notifyWorkers(Set.of("x"));
    assertThat(told).isEmpty();
    link.heal();
    jobs.notifyWorkers(Set.of("x"));
    linked.notifyWorkers(Set.of("y"));
    assertThat(told).containsExactly("x", "y");
  }

  private Map<String, ThrowingCallable> calls() {
    JobId id = new JobId(1);
    JobLimit.Scope scope = new JobLimit.Scope("k", "", false);
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("enqueue", () -> linked.enqueue(EnqueueRequest.of(List.of(aJob().draft()))));
    calls.put("exchange", () -> turn(1).with(linked));
    calls.put("claim", () -> linked.claim(new ClaimRequest(a, ++number, 1, KINDS, Set.of())));
    calls.put("complete", () -> linked.complete(List.of()));
    calls.put("start", () -> linked.start(a, List.of(), FakeTime.START));
    calls.put("note", () -> linked.note(a, List.<RunProgress>of()));
    calls.put("rescue", linked::rescue);
    calls.put("cancel", () -> linked.cancel(id, "ann", "no"));
    calls.put("approve", () -> linked.approve(id, "ann", "no"));
    calls.put("reject", () -> linked.reject(id, "ann", "no"));
    calls.put("reschedule", () -> linked.reschedule(id, FakeTime.START));
    calls.put("requeue", () -> linked.requeue(List.of(), "ann"));
    calls.put("purge", () -> linked.purge(List.of()));
    calls.put("find", () -> linked.find(id));
    calls.put("log", () -> linked.log(id, 1));
    calls.put("list", () -> linked.list(JobFilter.in(JobState.READY), 1));
    calls.put("counts", linked::counts);
    calls.put(
        "pause",
        () -> linked.pause(new JobPause(JobPause.Of.KIND, "k", "ann", "", FakeTime.START)));
    calls.put("pauses", linked::pauses);
    calls.put("resume", () -> linked.resume(JobPause.Of.KIND, "k"));
    calls.put("limit", () -> linked.limit(new JobLimit(scope, Optional.of(1), Optional.empty())));
    calls.put("limits", linked::limits);
    calls.put("unlimit", () -> linked.removeLimit(scope));
    calls.put("weigh", () -> linked.setTenantWeight("t", 2));
    return calls;
  }

  private List<JobId> enqueue(DraftBuilder... wishes) {
    List<JobDraft> drafts = Arrays.stream(wishes).map(DraftBuilder::draft).toList();
    return jobs.enqueue(EnqueueRequest.of(drafts)).stream().map(reply -> reply.id()).toList();
  }

  private StoreExchange turn(int most) {
    return new StoreExchange(a, ++number, List.of(), most, KINDS, Set.of());
  }

  private List<ClaimedJob> claim(int most) {
    assertThat(store.replicas().heartbeat(a)).isPresent();
    return turn(most).with(jobs).jobs();
  }

  private void finish(ClaimedJob run, Completion.End end) {
    Completion finish = new Completion(run, end, FakeTime.START, Duration.ZERO);
    StoreExchange turn = new StoreExchange(a, 0, List.of(finish), 0, KINDS, Set.of());
    assertThat(turn.with(jobs).finished()).containsExactly(true);
  }
}
