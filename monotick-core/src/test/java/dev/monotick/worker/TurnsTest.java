package dev.monotick.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.audit.AuditSink;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobLane;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRules;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobStore;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.metric.MetricSink;
import dev.monotick.replica.ReplicaId;
import dev.monotick.store.StoreException;
import dev.monotick.task.Effect;
import dev.monotick.thread.EngineThreads;
import dev.monotick.thread.Result;
import dev.monotick.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What goes to the store when, with a store that answers when it is told to. */
class TurnsTest {

  private static final ReplicaId SELF = ReplicaId.random();
  private static final WorkerSettings SETTINGS = new WorkerSettings(2_000, Set.of());

  private final ByHand threads = new ByHand();
  private final JobSlots slots;
  private final Turns turns;
  private long claimed;
  private boolean none; // no more jobs are found

  TurnsTest() {
    WorkerContext context = new WorkerContext(SELF, "a", threads, TimeSource.system(), aStore());
    JobHandlers handlers = new JobHandlers();
    handlers.add(JobKind.named("kind", String.class), job -> JobOutcome.done());
    Payloads payloads = new Payloads(null);
    JobTelemetry telemetry =
        new JobTelemetry(context, payloads, MetricSink.none(), event -> {}, AuditSink.none());
    slots = new JobSlots(context, handlers, payloads, SETTINGS.concurrency(), new Ends());
    turns = new Turns(context, SETTINGS, handlers, slots, telemetry);
  }

  @Test
  void fewEndsGoWithTheNextRequestForJobs() {
    turns.open(SELF);
    answer(0);
    end(10);
    assertThat(threads.calls).as("a request is under way").hasSize(1);
    answer(0);
    assertThat(onlyTurn().finishes()).hasSize(10);
    assertThat(onlyTurn().most()).isPositive();
  }

  @Test
  void manyEndsDoNotWaitForTheRequestThatIsUnderWay() {
    turns.open(SELF);
    answer(0);
    end(300);
    assertThat(threads.calls).hasSize(2);
    JobTurn report = threads.calls.get(1).turn();
    assertThat(report.most()).isZero();
    assertThat(report.number()).as("what claims nothing has no number").isZero();
    assertThat(report.finishes().size()).isBetween(250, 300);
  }

  /** Jobs are claimed under the number of the turn; what is on its way with one has not lapsed. */
  @Test
  void oneRequestAtATimeIsUnderWayWhateverEnds() {
    turns.open(SELF);
    Set<Long> numbers = new HashSet<>();
    Set<JobId> reported = new HashSet<>();
    for (int step = 0; step < 200; step++) {
      end(step * 37 % 600);
      assertThat(threads.calls.stream().filter(call -> call.turn().most() > 0).count())
          .isLessThanOrEqualTo(1);
      assertThat(threads.calls.size()).isLessThanOrEqualTo(2);
      if (!threads.calls.isEmpty()) {
        int which = step % threads.calls.size();
        JobTurn turn = threads.calls.get(which).turn();
        if (turn.most() > 0) {
          assertThat(numbers.add(turn.number())).as("a number is used once").isTrue();
        }
        turn.finishes()
            .forEach(
                finish -> assertThat(reported.add(finish.job().id())).as("reported once").isTrue());
        answer(which);
      }
    }
    assertThat(reported).hasSizeGreaterThan(5_000);
  }

  @Test
  void noJobsAreAskedForWhileTooManyEndsCannotBeReported() {
    turns.open(SELF);
    answer(0);
    end(300); // reported beside the request, and not answered
    int asked = 0;
    while (threads.calls.size() > 1) {
      assertThat(++asked).as("it is asked again and again").isLessThan(10);
      answer(requestUnderWay());
      end(slots.inHand());
    }
    assertThat(onlyTurn().most()).isZero();
    answer(0);
    assertThat(threads.calls).hasSize(2);
    assertThat(threads.calls.get(0).turn().finishes()).hasSize(2_000);
    assertThat(threads.calls.get(1).turn().most()).isPositive();
  }

  /** The ends may have made room under a limit, or others ready that waited for them. */
  @Test
  void afterAReportItIsAskedAgainThoughNothingWasFoundBeside() {
    turns.open(SELF);
    answer(0);
    end(300); // reported beside the request
    none = true;
    answer(requestUnderWay());
    assertThat(onlyTurn().most()).isZero();
    answer(0);
    assertThat(onlyTurn().most()).isPositive();
  }

  @Test
  void soItIsIfTheReportIsAnsweredFirst() {
    turns.open(SELF);
    answer(0);
    end(300);
    none = true;
    answer(1); // the report
    answer(0); // what was asked before
    assertThat(onlyTurn().most()).isPositive();
    answer(0);
    assertThat(threads.calls).as("nothing ended since").isEmpty();
  }

  @Test
  void noJobsAreAskedForWhileTooManyEndsAreRefused() {
    turns.open(SELF);
    for (int i = 0; i < 100; i++) {
      end(slots.inHand());
      if (threads.calls.isEmpty()) {
        break;
      }
      JobTurn turn = threads.calls.get(0).turn();
      if (turn.finishes().isEmpty()) {
        answer(0);
      } else {
        fail(0, new IllegalStateException("they are all bad"));
      }
    }
    assertThat(claimed).as("jobs that were taken").isLessThan(8_000);
  }

  @Test
  void aReportWithoutAnAnswerIsRepeatedAsItWas() {
    turns.open(SELF);
    answer(0);
    end(300);
    JobTurn report = threads.calls.get(1).turn();
    fail(1, new StoreException("no answer"));
    assertThat(threads.calls).hasSize(1);
    threads.runTimers();
    assertThat(threads.calls.get(1).turn()).isSameAs(report);
  }

  @Test
  void whatTheStoreRefusesIsReportedOneByOne() {
    turns.open(SELF);
    answer(0);
    end(300);
    int refused = threads.calls.get(1).turn().finishes().size();
    turns.close();
    answer(0);
    fail(0, new IllegalStateException("one of them is bad"));
    Set<JobId> reported = new HashSet<>();
    while (!turns.isQuiet()) {
      threads.runTimers();
      while (!threads.calls.isEmpty()) {
        threads.calls.get(0).turn().finishes().forEach(finish -> reported.add(finish.job().id()));
        answer(0);
      }
    }
    assertThat(reported).hasSizeGreaterThanOrEqualTo(refused);
  }

  /** Else it would stay RUNNING for as long as this replica lives, or be said to be another. */
  @Test
  void whatTheStoreRefusesIsSentAgainUnchangedUntilItIsRecorded() {
    none = true;
    turns.open(SELF);
    reply(someJobs(1));
    turns.close();
    end(1);
    JobFinish finish = onlyTurn().finishes().get(0);
    for (int times = 0; times < 20; times++) {
      assertThat(onlyTurn().finishes()).hasSize(1);
      assertThat(onlyTurn().finishes().get(0)).isSameAs(finish);
      fail(0, new IllegalStateException("no such privilege"));
      threads.runTimers();
      assertThat(turns.isQuiet()).as("a stop does not leave it behind").isFalse();
    }
    assertThat(onlyTurn().finishes().get(0)).isSameAs(finish);
    answer(0);
    assertThat(turns.isQuiet()).isTrue();
    threads.runTimers();
    assertThat(threads.calls).isEmpty();
  }

  /** However many of them there are: a request has a largest size. */
  @Test
  void largeResultsGoInSeveralTurns() {
    none = true;
    turns.open(SELF);
    reply(someJobs(20));
    byte[] large = new byte[1 << 20];
    for (ClaimedJob job = slots.next(); job != null; job = slots.next()) {
      JobFinish.End end = new JobFinish.Succeeded(large);
      slots.finished(new JobFinish(job, end, Instant.EPOCH, Duration.ZERO), null);
    }
    turns.close();
    threads.runActions();
    List<Integer> sizes = new ArrayList<>();
    while (!threads.calls.isEmpty()) {
      sizes.add(onlyTurn().finishes().size());
      answer(0);
    }
    assertThat(sizes).containsExactly(8, 8, 4);
    assertThat(turns.isQuiet()).isTrue();
  }

  /** Else one that is refused for ever would keep the others, or new jobs, waiting. */
  @Test
  void whatIsRefusedTakesTurnsWithOthersAndDoesNotKeepJobsFromComing() {
    none = true;
    turns.open(SELF);
    reply(someJobs(110));
    end(100); // enough to go at once
    fail(0, new IllegalStateException("no such privilege"));
    threads.runTimers();
    assertThat(reportUnderWay().finishes()).as("alone").hasSize(1);
    turns.wake(Set.of());
    assertThat(threads.calls).as("asks beside it").hasSize(2);
    answer(requestUnderWay());
    end(10);
    fail(0, new IllegalStateException("no such privilege"));
    answer(requestUnderWay());
    threads.runTimers();
    assertThat(threads.calls.stream().map(call -> call.turn().finishes().size()))
        .as("the ten have their turn")
        .contains(10);
  }

  private JobTurn reportUnderWay() {
    return threads.calls.stream()
        .map(PendingCall::turn)
        .filter(turn -> turn.most() == 0)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whoeverHearsOfJobsMakesTheTurnThatStandsBy() {
    beIdle();
    List<JobTurn> made = new ArrayList<>();
    assertThat(
            turns.wake(
                Set.of("queue"),
                turn -> {
                  made.add(turn);
                  none = false;
                  return replyTo(turn);
                }))
        .isTrue();
    assertThat(made).hasSize(1);
    assertThat(made.get(0).finishes()).isEmpty();
    assertThat(made.get(0).most()).isPositive();
    assertThat(turns.isQuiet()).as("its answer is on its way").isFalse();
    threads.runActions();
    assertThat(slots.inHand()).isPositive();
    assertThat(onlyTurn().number()).as("the next one").isGreaterThan(made.get(0).number());
  }

  @Test
  void jobsOfATurnThatStoodByBeginBeforeTheLoopHearsOfThem() {
    beIdle();
    assertThat(turns.wake(Set.of(), turn -> someJobs(3))).isTrue();
    assertThat(threads.bodies).as("begun").isEqualTo(3);
    assertThat(slots.inHand()).isEqualTo(3);
    threads.runActions();
    assertThat(threads.bodies).as("begun once").isEqualTo(3);
    assertThat(slots.inHand()).as("taken once").isEqualTo(3);
    end(3);
    assertThat(slots.inHand()).isZero();
  }

  @Test
  void aReportThatIsAnsweredBeforeTheLoopHearsOfBegunJobsDoesNotTakeThemAgain() {
    turns.open(SELF);
    answer(0);
    end(300);
    none = true;
    answer(requestUnderWay()); // it stands by now, beside a report
    assertThat(onlyTurn().most()).isZero();
    int before = slots.inHand();
    assertThat(turns.wake(Set.of(), turn -> someJobs(3))).isTrue();
    threads.calls.remove(0).reply(Result.of(replyTo(sent())));
    threads.runActions();
    assertThat(slots.inHand()).isEqualTo(before + 3);
  }

  @Test
  void jobsThatHaveNoSlotYetAreTakenByTheLoop() {
    beIdle();
    int tooMany = SETTINGS.concurrency() + 1;
    assertThat(turns.wake(Set.of(), turn -> someJobs(tooMany))).isTrue();
    assertThat(threads.bodies).isZero();
    threads.runActions();
    assertThat(slots.inHand()).isEqualTo(tooMany);
    assertThat(threads.bodies).isEqualTo(SETTINGS.concurrency());
  }

  private JobTurn sent() {
    return requireNonNull(sent);
  }

  private JobTurnReply someJobs(int count) {
    List<ClaimedJob> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(aJob(++claimed));
    }
    return new JobTurnReply(List.of(), jobs, false, Optional.empty());
  }

  @Test
  void aTurnThatStandsByIsMadeOnce() {
    beIdle();
    assertThat(turns.wake(Set.of(), this::replyTo)).isTrue();
    assertThat(turns.wake(Set.of(), this::replyTo)).as("not answered yet").isFalse();
    threads.runActions();
    assertThat(turns.wake(Set.of(), this::replyTo)).as("another one").isTrue();
  }

  @Test
  void whatStandsByIsNotMadeBesideARequest() {
    beIdle();
    turns.wake(Set.of());
    assertThat(onlyTurn().most()).isPositive();
    assertThat(turns.wake(Set.of(), this::replyTo)).isFalse();
  }

  @Test
  void whileItIsMadeNothingElseIsAskedFor() {
    none = true;
    turns.open(SELF);
    answer(0);
    assertThat(
            turns.wake(
                Set.of(),
                turn -> {
                  turns.wake(Set.of()); // told by another, on the loop
                  assertThat(threads.calls).isEmpty();
                  return replyTo(turn);
                }))
        .isTrue();
    threads.runActions();
    assertThat(threads.calls).as("what was told meanwhile").hasSize(1);
  }

  @Test
  void withoutAnAnswerItIsRepeatedAsItWas() {
    beIdle();
    List<JobTurn> made = new ArrayList<>();
    assertThat(
            turns.wake(
                Set.of(),
                turn -> {
                  made.add(turn);
                  throw new StoreException("no answer");
                }))
        .isTrue();
    threads.runActions();
    threads.runTimers();
    assertThat(onlyTurn()).isSameAs(made.get(0));
  }

  @Test
  void nothingStandsByOnceTheTurnsAreClosed() {
    beIdle();
    turns.close();
    assertThat(turns.wake(Set.of(), this::replyTo)).isFalse();
    assertThat(turns.isQuiet()).isTrue();
    assertThat(threads.calls).as("what is not open need not be closed").isEmpty();
  }

  @Test
  void whatIsClaimedWhileTheTurnsAreClosedIsGivenBack() {
    beIdle();
    none = false;
    assertThat(
            turns.wake(
                Set.of(),
                turn -> {
                  turns.close();
                  assertThat(turns.isQuiet()).isFalse();
                  return replyTo(turn);
                }))
        .isTrue();
    assertThat(slots.inHand()).as("not begun here").isZero();
    threads.runActions();
    assertThat(slots.inHand()).isZero();
    assertThat(onlyTurn().finishes()).hasSize((int) claimed);
  }

  /** Others may have rescued them while this replica was taken for dead. */
  @Test
  void jobsThatComeForAnEarlierMembershipAreGivenBackUnderIt() {
    turns.open(SELF);
    assertThat(turns.membershipLost()).contains(SELF);
    turns.open(SELF.successor());
    answer(0);
    int doubtful = (int) claimed;
    assertThat(doubtful).isPositive();
    assertThat(slots.inHand()).as("nothing began").isZero();
    assertThat(threads.calls.stream().flatMap(call -> call.turn().finishes().stream()))
        .hasSize(doubtful)
        .allMatch(finish -> finish.end() instanceof JobFinish.HandedBack);
    assertThat(threads.calls)
        .extracting(PendingCall::turn)
        .filteredOn(turn -> !turn.finishes().isEmpty())
        .allMatch(turn -> turn.replica().equals(SELF) && turn.most() == 0);
    while (threads.calls.stream().noneMatch(call -> call.turn().most() > 0)) {
      answer(0);
    }
    answer(requestUnderWay());
    assertThat(slots.inHand()).as("what was asked for since begins").isPositive();
  }

  @Test
  void aNumberIsKeptUntilJobsAreClaimedUnderIt() {
    beIdle();
    turns.wake(Set.of());
    long number = onlyTurn().number();
    answer(0);
    turns.wake(Set.of());
    assertThat(onlyTurn().number()).as("nothing was claimed").isEqualTo(number);
    none = false;
    answer(0);
    assertThat(onlyTurn().number()).isEqualTo(number + 1);
  }

  @Test
  void aNumberIsNotKeptIfNobodyKnowsWhatWasClaimedUnderIt() {
    beIdle();
    turns.wake(Set.of());
    long number = onlyTurn().number();
    fail(0, new IllegalStateException("what came cannot be read"));
    threads.runTimers();
    turns.wake(Set.of());
    assertThat(onlyTurn().number()).isGreaterThan(number);
  }

  /** Somebody cancelled what the turn had before its answer came. */
  @Test
  void aNumberThatIsUsedIsLeftThoughNothingCameOfIt() {
    beIdle();
    turns.wake(Set.of());
    long number = onlyTurn().number();
    reply(new JobTurnReply(List.of(), List.of(), false, Optional.empty(), true));
    assertThat(onlyTurn().number()).as("asked again at once").isEqualTo(number + 1);
  }

  @Test
  void lostMembershipTakesItsOpenTurnAndItsNumbersWithIt() {
    turns.open(SELF);
    reply(someJobs(1));
    turns.wake(Set.of());
    assertThat(onlyTurn().number()).as("1 is used").isEqualTo(2);
    none = true;
    answer(0);
    assertThat(turns.membershipLost()).contains(SELF);
    assertThat(turns.wake(Set.of(), this::replyTo)).as("nothing stands by").isFalse();
    assertThat(threads.calls).as("the open turn dies with its member").isEmpty();
    turns.open(SELF.successor());
    assertThat(onlyTurn().replica()).isEqualTo(SELF.successor());
    assertThat(onlyTurn().number()).as("in a number space of its own").isEqualTo(1);
  }

  @Test
  void aTurnThatCannotBeClosedDoesNotKeepAnybodyFromStopping() {
    beIdle();
    turns.wake(Set.of());
    answer(0);
    turns.close();
    assertThat(onlyTurn().closes()).isTrue();
    fail(0, new StoreException("no answer"));
    assertThat(turns.isQuiet()).isTrue();
    threads.runTimers();
    assertThat(threads.calls).isEmpty();
  }

  @Test
  void aReportThatIsRefusedLeavesTheNumberOfTheOpenTurnAsItIs() {
    turns.open(SELF);
    answer(0);
    end(300);
    long number = threads.calls.get(0).turn().number();
    fail(1, new IllegalStateException("one of them is bad"));
    none = true;
    answer(0);
    turns.wake(Set.of());
    assertThat(threads.calls.get(requestUnderWay()).turn().number()).isEqualTo(number);
  }

  /** It is written down, so it is not done for a moment. */
  @Test
  void aTurnStaysOpenOnceThereWasNothingTwice() {
    none = true;
    turns.open(SELF);
    assertThat(onlyTurn().staysOpen()).as("the first look").isFalse();
    answer(0);
    turns.wake(Set.of());
    assertThat(onlyTurn().staysOpen()).as("the next one").isTrue();
  }

  @Test
  void aTurnThatReportsStaysOpenAtOnce() {
    turns.open(SELF);
    answer(0);
    end(100);
    answer(0);
    assertThat(onlyTurn().finishes()).isNotEmpty();
    assertThat(slots.inHand()).isLessThan(SETTINGS.concurrency());
    assertThat(onlyTurn().staysOpen()).isTrue();
  }

  @Test
  void aTurnThatIsOpenIsClosedAtTheEndAndWhatItGotIsGivenBack() {
    beIdle();
    turns.wake(Set.of());
    answer(0);
    turns.close();
    JobTurn closing = onlyTurn();
    assertThat(closing.closes()).isTrue();
    assertThat(turns.isQuiet()).isFalse();
    reply(new JobTurnReply(List.of(), List.of(aJob(7)), false, Optional.empty()));
    assertThat(onlyTurn().finishes())
        .extracting(JobFinish::end)
        .containsExactly(new JobFinish.HandedBack());
    answer(0);
    assertThat(turns.isQuiet()).isTrue();
    assertThat(threads.calls).isEmpty();
  }

  @Test
  void aTurnThatIsOnItsWayWhenAllEndsIsClosedAfterIt() {
    beIdle();
    turns.wake(Set.of());
    assertThat(onlyTurn().staysOpen()).isTrue();
    turns.close();
    assertThat(onlyTurn().closes()).isFalse();
    answer(0);
    assertThat(onlyTurn().closes()).isTrue();
    answer(0);
    assertThat(turns.isQuiet()).isTrue();
  }

  /** Nothing to do, and none found at the last look. */
  private void beIdle() {
    none = true;
    turns.open(SELF);
    answer(0);
    assertThat(threads.calls).isEmpty();
  }

  private int requestUnderWay() {
    for (int i = 0; i < threads.calls.size(); i++) {
      if (threads.calls.get(i).turn().most() > 0) {
        return i;
      }
    }
    throw new AssertionError("nothing is asked for: " + threads.calls.size() + " calls");
  }

  private JobTurn onlyTurn() {
    assertThat(threads.calls).hasSize(1);
    return threads.calls.get(0).turn();
  }

  private void end(int jobs) {
    for (int i = 0; i < jobs; i++) {
      ClaimedJob job = slots.next();
      if (job == null) {
        return;
      }
      JobFinish.End end = new JobFinish.Succeeded(null);
      slots.finished(new JobFinish(job, end, Instant.EPOCH, Duration.ZERO), null);
    }
    threads.runActions();
  }

  private void answer(int which) {
    PendingCall call = threads.calls.remove(which);
    call.reply(Result.of(replyTo(call.turn())));
    threads.runActions();
  }

  private void reply(JobTurnReply reply) {
    threads.calls.remove(0).reply(Result.of(reply));
    threads.runActions();
  }

  private void fail(int which, RuntimeException failure) {
    threads.calls.remove(which).reply(Result.failed(failure));
    threads.runActions();
  }

  private JobTurnReply replyTo(JobTurn turn) {
    List<ClaimedJob> jobs = new ArrayList<>();
    for (int i = 0; i < Math.min(turn.most(), none ? 0 : 1_000); i++) {
      jobs.add(aJob(++claimed));
    }
    return new JobTurnReply(
        turn.finishes().stream().map(finish -> true).toList(), jobs, !none, Optional.empty());
  }

  /** Ends go to the turns, as those of a worker do. */
  private final class Ends implements JobSlots.Owner {

    @Override
    public void finished(JobFinish finish, @Nullable RunningJob<?> job) {
      turns.add(finish, null);
    }

    @Override
    public void freed() {
      turns.tell();
    }

    @Override
    public boolean mayRun(ReplicaId owner) {
      return true;
    }

    @Override
    public void leftAlone(int handlers) {}
  }

  /** A call to the store that has not been answered. */
  private record PendingCall(JobTurn turn, EngineThreads.Reply<JobTurnReply> answer) {

    void reply(Result<JobTurnReply> result) {
      answer.handle(result);
    }
  }

  private @Nullable JobTurn sent;

  /** A store that only notes what it was asked. */
  private JobStore aStore() {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "turn" -> {
                    sent = (JobTurn) arguments[0];
                    yield null;
                  }
                  case "isImmediate" -> false;
                  case "pollInterval" -> Duration.ofSeconds(1);
                  case "now" -> Instant.EPOCH;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  /** Threads on which everything happens when the test says so; slots get none. */
  private final class ByHand implements EngineThreads {

    private final ArrayDeque<Runnable> actions = new ArrayDeque<>();
    private final List<Runnable> timers = new ArrayList<>();
    private final List<PendingCall> calls = new ArrayList<>();
    private int bodies;

    void runActions() {
      for (Runnable action = actions.poll(); action != null; action = actions.poll()) {
        action.run();
      }
    }

    void runTimers() {
      List<Runnable> due = List.copyOf(timers);
      timers.clear();
      due.forEach(Runnable::run);
      runActions();
    }

    @Override
    public void execute(Runnable action) {
      actions.add(action);
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable action) {
      timers.add(action);
      return () -> timers.remove(action);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> void call(String what, Duration timeout, Callable<T> call, Reply<T> reply) {
      try {
        call.call();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      JobTurn turn = sent;
      if (turn == null) {
        throw new IllegalStateException(what);
      }
      calls.add(new PendingCall(turn, (Reply<JobTurnReply>) reply));
    }

    @Override
    public Body body(String name, Runnable body) {
      bodies++;
      return () -> {};
    }

    @Override
    public Executor listenerExecutor(String name) {
      return Runnable::run;
    }

    @Override
    public void watch(Runnable check, BooleanSupplier needed) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sleep(Duration duration, BooleanSupplier wake) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> T await(CompletableFuture<T> result) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      throw new UnsupportedOperationException();
    }
  }

  /** Returns one that was lost with its replica before. */
  static ClaimedJob aJobThatWasLost(long id) {
    ClaimedJob job = aJob(id);
    return new ClaimedJob(
        job.owner(),
        job.run(),
        job.lane(),
        job.version(),
        job.payload(),
        job.rules(),
        job.limitKey(),
        job.readyAt(),
        job.headers(),
        1);
  }

  static ClaimedJob aJob(long id) {
    return new ClaimedJob(
        SELF,
        new JobRun(new JobId(id), 1, 1),
        new JobLane("queue", "kind", "", 5),
        1,
        new byte[0],
        new JobRules(
            1, Duration.ofMinutes(1), Optional.empty(), Effect.AT_LEAST_ONCE, Optional.empty()),
        Optional.empty(),
        Instant.EPOCH,
        Map.of());
  }
}
