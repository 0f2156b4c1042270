package dev.monotick.engine.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.monotick.engine.client.Payloads;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import dev.monotick.error.StoreException;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.JobRules;
import dev.monotick.job.Lane;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.job.HandoffListener;
import dev.monotick.spi.job.JobHandoffStore;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.metric.MetricSink;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.work.Effect;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What the fetcher, the completer and the hand-off send to the store when, with a store that
 * answers when it is told to.
 */
class JobFetcherTest {

  private static final MemberId SELF = MemberId.random();
  private static final JobWorkerSettings SETTINGS = new JobWorkerSettings(2_000, Set.of());

  private final ByHand threads = new ByHand();
  private final JobWorkerContext context;
  private final JobSlots slots;
  private final JobCompleter completer;
  private JobFetcher fetcher;
  private long claimed;
  private boolean none; // no more jobs are found

  JobFetcherTest() {
    context = new JobWorkerContext(SELF, "a", threads, TimeSource.system(), aStore());
    JobHandlers handlers = new JobHandlers();
    handlers.add(JobKind.named("kind", String.class), job -> JobOutcome.done());
    Payloads payloads = new Payloads(null);
    JobTelemetry telemetry = new JobTelemetry(payloads, MetricSink.none(), event -> {});
    slots = new JobSlots(context, handlers, payloads, SETTINGS.concurrency(), new Ends());
    completer = new JobCompleter(context, telemetry);
    fetcher = new JobFetcher(context, SELF, SETTINGS, slots, completer);
  }

  @Test
  void fewEndsGoWithTheNextRequestForJobs() {
    open(SELF);
    answer(0);
    end(10);
    assertThat(threads.calls).as("a request is under way").hasSize(1);
    answer(0);
    assertThat(onlyTurn().finishes()).hasSize(10);
    assertThat(onlyTurn().most()).isPositive();
  }

  @Test
  void manyEndsDoNotWaitForTheRequestThatIsUnderWay() {
    open(SELF);
    answer(0);
    end(300);
    assertThat(threads.calls).hasSize(2);
    Turn report = threads.calls.get(1).turn();
    assertThat(report.most()).isZero();
    assertThat(report.number()).as("what claims nothing has no number").isZero();
    assertThat(report.finishes().size()).isBetween(250, 300);
  }

  /** Jobs are claimed under the number of the turn; what is on its way with one has not lapsed. */
  @Test
  void oneRequestAtATimeIsUnderWayWhateverEnds() {
    open(SELF);
    Set<Long> numbers = new HashSet<>();
    Set<JobId> reported = new HashSet<>();
    for (int step = 0; step < 200; step++) {
      end(step * 37 % 600);
      assertThat(threads.calls.stream().filter(call -> call.turn().most() > 0).count())
          .isLessThanOrEqualTo(1);
      assertThat(threads.calls.size()).isLessThanOrEqualTo(2);
      if (!threads.calls.isEmpty()) {
        int which = step % threads.calls.size();
        Turn turn = threads.calls.get(which).turn();
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
    open(SELF);
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
    open(SELF);
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
    open(SELF);
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
    open(SELF);
    for (int i = 0; i < 100; i++) {
      end(slots.inHand());
      if (threads.calls.isEmpty()) {
        break;
      }
      Turn turn = threads.calls.get(0).turn();
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
    open(SELF);
    answer(0);
    end(300);
    Turn report = threads.calls.get(1).turn();
    fail(1, new StoreException("no answer"));
    assertThat(threads.calls).hasSize(1);
    threads.runTimers();
    assertThat(threads.calls.get(1).turn()).isEqualTo(report);
  }

  @Test
  void whatTheStoreRefusesIsReportedOneByOne() {
    open(SELF);
    answer(0);
    end(300);
    int refused = threads.calls.get(1).turn().finishes().size();
    close();
    answer(0);
    fail(0, new IllegalStateException("one of them is bad"));
    Set<JobId> reported = new HashSet<>();
    while (!isQuiet()) {
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
    open(SELF);
    reply(someJobs(1));
    close();
    end(1);
    Completion finish = onlyTurn().finishes().get(0);
    for (int times = 0; times < 20; times++) {
      assertThat(onlyTurn().finishes()).hasSize(1);
      assertThat(onlyTurn().finishes().get(0)).isSameAs(finish);
      fail(0, new IllegalStateException("no such privilege"));
      threads.runTimers();
      assertThat(isQuiet()).as("a stop does not leave it behind").isFalse();
    }
    assertThat(onlyTurn().finishes().get(0)).isSameAs(finish);
    answer(0);
    assertThat(isQuiet()).isTrue();
    threads.runTimers();
    assertThat(threads.calls).isEmpty();
  }

  /** However many of them there are: a request has a largest size. */
  @Test
  void largeResultsGoInSeveralTurns() {
    none = true;
    open(SELF);
    reply(someJobs(20));
    byte[] large = new byte[1 << 20];
    for (ClaimedJob job = slots.next(); job != null; job = slots.next()) {
      Completion.End end = new Completion.Succeeded(large);
      slots.finished(new Completion(job, end, Instant.EPOCH, Duration.ZERO), null);
    }
    close();
    threads.runActions();
    List<Integer> sizes = new ArrayList<>();
    while (!threads.calls.isEmpty()) {
      sizes.add(onlyTurn().finishes().size());
      answer(0);
    }
    assertThat(sizes).containsExactly(8, 8, 4);
    assertThat(isQuiet()).isTrue();
  }

  /** Else one that is refused for ever would keep the others, or new jobs, waiting. */
  @Test
  void whatIsRefusedTakesTurnsWithOthersAndDoesNotKeepJobsFromComing() {
    none = true;
    open(SELF);
    reply(someJobs(110));
    end(100); // enough to go at once
    fail(0, new IllegalStateException("no such privilege"));
    threads.runTimers();
    assertThat(reportUnderWay().finishes()).as("alone").hasSize(1);
    fetcher.notified(Set.of());
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

  /** Completions that travel with claims are batches like others: a refused one follows them. */
  @Test
  void whatIsRefusedHasItsTurnAfterCompletionsThatWentWithAClaim() {
    none = true;
    open(SELF);
    reply(someJobs(110));
    end(100);
    fail(0, new IllegalStateException("no such privilege"));
    threads.runTimers();
    assertThat(reportUnderWay().finishes()).as("alone").hasSize(1);
    answer(requestUnderWay()); // a poll beside it
    end(5);
    fail(0, new IllegalStateException("no such privilege"));
    assertThat(threads.calls).as("not twice in a row while others wait").isEmpty();
    fetcher.notified(Set.of());
    assertThat(onlyTurn().finishes()).as("the others").hasSize(5);
    end(3);
    answer(requestUnderWay());
    assertThat(reportUnderWay().finishes()).as("one that was refused").hasSize(1);
  }

  private Turn reportUnderWay() {
    return threads.calls.stream()
        .map(PendingCall::turn)
        .filter(turn -> turn.most() == 0)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void handedOffJobsBeginBeforeTheLoopHearsOfThem() {
    beOffered();
    long number = offered;
    handOff(number, () -> someJobs(3));
    assertThat(threads.bodies).as("begun").isEqualTo(3);
    assertThat(slots.inHand()).isEqualTo(3);
    assertThat(isQuiet()).as("the loop has not heard of it").isFalse();
    threads.runActions();
    assertThat(threads.bodies).as("begun once").isEqualTo(3);
    assertThat(slots.inHand()).as("taken once").isEqualTo(3);
    fetcher.notified(Set.of());
    assertThat(onlyTurn().number()).as("the next one").isEqualTo(number + 1);
    answer(0);
    end(3);
    assertThat(slots.inHand()).isZero();
  }

  @Test
  void aReportThatIsAnsweredBeforeTheLoopHearsOfBegunJobsDoesNotTakeThemAgain() {
    open(SELF);
    answer(0);
    end(100);
    none = true;
    answer(0);
    assertThat(onlyTurn().offers()).isTrue();
    end(300);
    answer(requestUnderWay()); // it left an offer, and a report is under way
    assertThat(onlyTurn().most()).isZero();
    Turn report = onlyTurn();
    int before = slots.inHand();
    handOff(offered, () -> someJobs(3));
    threads.calls.remove(0).reply(replyTo(report));
    threads.runActions();
    assertThat(slots.inHand()).isEqualTo(before + 3);
  }

  @Test
  void handedOffJobsThatHaveNoSlotYetAreTakenByTheLoop() {
    beOffered();
    int tooMany = SETTINGS.concurrency() + 1;
    handOff(offered, () -> someJobs(tooMany));
    assertThat(threads.bodies).isZero();
    threads.runActions();
    assertThat(slots.inHand()).isEqualTo(tooMany);
    assertThat(threads.bodies).isEqualTo(SETTINGS.concurrency());
  }

  private Answer someJobs(int count) {
    List<ClaimedJob> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(aJob(++claimed));
    }
    return new Answer(List.of(), jobs, false, !jobs.isEmpty());
  }

  /** The notification may come twice. */
  @Test
  void aClaimIsReadOnce() {
    beOffered();
    handOff(offered, () -> someJobs(3));
    handOff(offered, () -> unexpected("it was read before"));
    threads.runActions();
    handOff(offered, () -> unexpected("its number is used"));
    assertThat(threads.bodies).isEqualTo(3);
  }

  /** Its jobs were polled, and another offer stands meanwhile. */
  @Test
  void aLateNotificationOfAnEarlierNumberReadsNothing() {
    beOffered();
    long earlier = offered;
    fetcher.notified(Set.of());
    reply(someJobs(1));
    end(1);
    threads.runTimers();
    answer(0);
    assertThat(offered).as("another offer").isEqualTo(earlier + 1);
    handOff(earlier, () -> unexpected("it was polled"));
    threads.runActions();
    assertThat(onlyTurn().number()).as("it is polled").isEqualTo(earlier + 1);
    handOff(earlier, () -> unexpected("a poll is under way"));
    answer(0);
    handOff(offered, () -> someJobs(1));
    assertThat(slots.inHand()).as("the offer still stands").isEqualTo(1);
  }

  /** The poll has the job if it was claimed before that; else it is polled again. */
  @Test
  void aNotificationDuringAPollIsFollowedByAPollUnderTheSameNumber() {
    beOffered();
    fetcher.notified(Set.of());
    long number = onlyTurn().number();
    handOff(number, () -> unexpected("the poll has it"));
    threads.runActions();
    answer(0);
    assertThat(onlyTurn().number()).isEqualTo(number);
    none = false;
    answer(0);
    assertThat(onlyTurn().number()).isEqualTo(number + 1);
  }

  @Test
  void whileAClaimIsReadNothingIsAskedFor() {
    beOffered();
    handOff(
        offered,
        () -> {
          fetcher.notified(Set.of()); // told by another, on the loop
          assertThat(threads.calls).isEmpty();
          return someJobs(1);
        });
    threads.runActions();
    assertThat(threads.calls).as("what was told meanwhile").hasSize(1);
  }

  @Test
  void aClaimThatCannotBeReadIsPolledUnderItsNumber() {
    beOffered();
    handOff(
        offered,
        () -> {
          throw new StoreException("no answer");
        });
    threads.runActions();
    assertThat(onlyTurn().number()).isEqualTo(offered);
    assertThat(onlyTurn().most()).isPositive();
  }

  /** A notification is a hint, and may be forged. */
  @Test
  void aNotificationWithoutAClaimBeginsNothing() {
    beOffered();
    requireNonNull(listener).handedOff(offered, Optional::empty);
    threads.runActions();
    assertThat(threads.bodies).isZero();
    assertThat(onlyTurn().number()).isEqualTo(offered);
  }

  @Test
  void nothingIsHandedOffOnceTheProcessStops() {
    beOffered();
    close();
    handOff(offered, () -> unexpected("it is being withdrawn"));
    assertThat(onlyTurn().withdraws()).isTrue();
    answer(0);
    assertThat(isQuiet()).isTrue();
  }

  @Test
  void withoutAnOfferThereIsNothingToWithdraw() {
    beIdle();
    close();
    assertThat(isQuiet()).isTrue();
    assertThat(threads.calls).isEmpty();
  }

  @Test
  void aClaimThatIsReadWhileTheProcessStopsIsHandedBack() {
    beOffered();
    handOff(
        offered,
        () -> {
          close();
          assertThat(isQuiet()).isFalse();
          return someJobs(SETTINGS.concurrency() + 1); // more than can begin right there
        });
    threads.runActions();
    assertThat(threads.bodies).as("not begun here").isZero();
    assertThat(slots.inHand()).isZero();
    assertThat(onlyTurn().finishes())
        .isNotEmpty()
        .allMatch(finish -> finish.result() instanceof Completion.HandedBack);
  }

  @Test
  void aClaimThatIsReadWhileTheMembershipEndsBeginsNothing() {
    beOffered();
    handOff(
        offered,
        () -> {
          fetcher.membershipLost();
          return someJobs(3);
        });
    threads.runActions();
    assertThat(threads.bodies).isZero();
    assertThat(onlyTurn().finishes())
        .hasSize(3)
        .allMatch(finish -> finish.result() instanceof Completion.HandedBack);
  }

  /** As with a store that cannot. */
  @Test
  void withoutHandoffEverythingElseIsTheSame() {
    handsOff = false;
    none = true;
    open(SELF);
    answer(0);
    fetcher.notified(Set.of());
    assertThat(onlyTurn().offers()).isFalse();
    none = false;
    answer(0);
    assertThat(slots.inHand()).isPositive();
    answer(0);
    end(10);
    close();
    while (!threads.calls.isEmpty()) {
      assertThat(threads.calls.get(0).turn().withdraws()).isFalse();
      answer(0);
    }
  }

  /** It travels with no claim of the new one. */
  @Test
  void aCompletionOfAnEarlierMembershipDoesNotWaitForTheClaimOfTheNextOne() {
    none = true;
    open(SELF);
    reply(someJobs(1));
    fetcher.membershipLost();
    open(SELF.successor());
    assertThat(onlyTurn().replica()).as("claims").isEqualTo(SELF.successor());
    end(1);
    assertThat(reportUnderWay().replica()).isEqualTo(SELF);
    assertThat(reportUnderWay().finishes()).hasSize(1);
  }

  /** Others may have rescued them while this replica was taken for dead. */
  @Test
  void jobsThatComeForAnEarlierMembershipAreGivenBackUnderIt() {
    open(SELF);
    fetcher.membershipLost();
    open(SELF.successor());
    answer(0);
    int doubtful = (int) claimed;
    assertThat(doubtful).isPositive();
    assertThat(slots.inHand()).as("nothing began").isZero();
    assertThat(threads.calls.stream().flatMap(call -> call.turn().finishes().stream()))
        .hasSize(doubtful)
        .allMatch(finish -> finish.result() instanceof Completion.HandedBack);
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
    fetcher.notified(Set.of());
    long number = onlyTurn().number();
    answer(0);
    fetcher.notified(Set.of());
    assertThat(onlyTurn().number()).as("nothing was claimed").isEqualTo(number);
    none = false;
    answer(0);
    assertThat(onlyTurn().number()).isEqualTo(number + 1);
  }

  @Test
  void aNumberIsNotKeptIfNobodyKnowsWhatWasClaimedUnderIt() {
    beIdle();
    fetcher.notified(Set.of());
    long number = onlyTurn().number();
    fail(0, new IllegalStateException("what came cannot be read"));
    threads.runTimers();
    fetcher.notified(Set.of());
    assertThat(onlyTurn().number()).isGreaterThan(number);
  }

  /** Somebody cancelled what the turn had before its answer came. */
  @Test
  void aNumberThatIsUsedIsLeftThoughNothingCameOfIt() {
    beIdle();
    fetcher.notified(Set.of());
    long number = onlyTurn().number();
    reply(new Answer(List.of(), List.of(), false, true));
    assertThat(onlyTurn().number()).as("asked again at once").isEqualTo(number + 1);
  }

  @Test
  void lostMembershipTakesItsOpenTurnAndItsNumbersWithIt() {
    open(SELF);
    reply(someJobs(1));
    fetcher.notified(Set.of());
    assertThat(onlyTurn().number()).as("1 is used").isEqualTo(2);
    none = true;
    answer(0);
    fetcher.membershipLost();
    assertThat(threads.calls).as("the open turn dies with its member").isEmpty();
    open(SELF.successor());
    assertThat(onlyTurn().replica()).isEqualTo(SELF.successor());
    assertThat(onlyTurn().number()).as("in a number space of its own").isEqualTo(1);
  }

  @Test
  void aTurnThatCannotBeClosedDoesNotKeepAnybodyFromStopping() {
    beIdle();
    fetcher.notified(Set.of());
    answer(0);
    close();
    assertThat(onlyTurn().withdraws()).isTrue();
    fail(0, new StoreException("no answer"));
    assertThat(isQuiet()).isTrue();
    threads.runTimers();
    assertThat(threads.calls).isEmpty();
  }

  @Test
  void aReportThatIsRefusedLeavesTheNumberOfTheOpenTurnAsItIs() {
    open(SELF);
    answer(0);
    end(300);
    long number = threads.calls.get(0).turn().number();
    fail(1, new IllegalStateException("one of them is bad"));
    none = true;
    answer(0);
    fetcher.notified(Set.of());
    assertThat(threads.calls.get(requestUnderWay()).turn().number()).isEqualTo(number);
  }

  /** It is written down, so it is not done for a moment. */
  @Test
  void aTurnStaysOpenOnceThereWasNothingTwice() {
    none = true;
    open(SELF);
    assertThat(onlyTurn().offers()).as("the first look").isFalse();
    answer(0);
    fetcher.notified(Set.of());
    assertThat(onlyTurn().offers()).as("the next one").isTrue();
  }

  @Test
  void aTurnThatReportsStaysOpenAtOnce() {
    open(SELF);
    answer(0);
    end(100);
    answer(0);
    assertThat(onlyTurn().finishes()).isNotEmpty();
    assertThat(slots.inHand()).isLessThan(SETTINGS.concurrency());
    assertThat(onlyTurn().offers()).isTrue();
  }

  @Test
  void aTurnThatIsOpenIsClosedAtTheEndAndWhatItGotIsGivenBack() {
    beIdle();
    fetcher.notified(Set.of());
    answer(0);
    close();
    Turn closing = onlyTurn();
    assertThat(closing.withdraws()).isTrue();
    assertThat(isQuiet()).isFalse();
    reply(new Answer(List.of(), List.of(aJob(7)), false, true));
    assertThat(onlyTurn().finishes())
        .extracting(Completion::result)
        .containsExactly(new Completion.HandedBack());
    answer(0);
    assertThat(isQuiet()).isTrue();
    assertThat(threads.calls).isEmpty();
  }

  @Test
  void aTurnThatIsOnItsWayWhenAllEndsIsClosedAfterIt() {
    beIdle();
    fetcher.notified(Set.of());
    assertThat(onlyTurn().offers()).isTrue();
    close();
    assertThat(onlyTurn().withdraws()).isFalse();
    answer(0);
    assertThat(onlyTurn().withdraws()).isTrue();
    answer(0);
    assertThat(isQuiet()).isTrue();
  }

  /** Nothing to do, and none found at the last look. */
  private void beIdle() {
    none = true;
    open(SELF);
    answer(0);
    assertThat(threads.calls).isEmpty();
  }

  /** Idle, and the last poll left an offer. */
  private void beOffered() {
    beIdle();
    fetcher.notified(Set.of());
    assertThat(onlyTurn().offers()).isTrue();
    answer(0);
  }

  private int requestUnderWay() {
    for (int i = 0; i < threads.calls.size(); i++) {
      if (threads.calls.get(i).turn().most() > 0) {
        return i;
      }
    }
    throw new AssertionError("nothing is asked for: " + threads.calls.size() + " calls");
  }

  private Turn onlyTurn() {
    assertThat(threads.calls).hasSize(1);
    return threads.calls.get(0).turn();
  }

  private void end(int jobs) {
    for (int i = 0; i < jobs; i++) {
      ClaimedJob job = slots.next();
      if (job == null) {
        return;
      }
      Completion.End end = new Completion.Succeeded(null);
      slots.finished(new Completion(job, end, Instant.EPOCH, Duration.ZERO), null);
    }
    threads.runActions();
  }

  private void answer(int which) {
    PendingCall call = threads.calls.remove(which);
    call.reply(replyTo(call.turn()));
    threads.runActions();
  }

  private void reply(Answer reply) {
    threads.calls.remove(0).reply(reply);
    threads.runActions();
  }

  private void fail(int which, RuntimeException failure) {
    threads.calls.remove(which).fail(failure);
    threads.runActions();
  }

  private Answer replyTo(Turn turn) {
    List<ClaimedJob> jobs = new ArrayList<>();
    for (int i = 0; i < Math.min(turn.most(), none ? 0 : 1_000); i++) {
      jobs.add(aJob(++claimed));
    }
    return new Answer(
        turn.finishes().stream().map(finish -> true).toList(), jobs, !none, !jobs.isEmpty());
  }

  /** Ends go to the turns, as those of a worker do. */
  private final class Ends implements JobSlots.Owner {

    @Override
    public void finished(Completion finish, @Nullable RunningJob<?> job) {
      completer.add(finish, null);
    }

    @Override
    public void freed() {
      completer.announce();
    }

    @Override
    public boolean mayRun(MemberId owner) {
      return true;
    }

    @Override
    public void abandoned(int handlers) {}
  }

  /** What a call asks of the store. */
  private record Turn(
      MemberId replica,
      long number,
      List<Completion> finishes,
      int most,
      boolean offers,
      boolean withdraws) {}

  /** An answer to a call of any kind. */
  private record Answer(List<Boolean> finished, List<ClaimedJob> jobs, boolean more, boolean used) {

    ClaimReply claim() {
      return new ClaimReply(jobs, more, Optional.empty(), used);
    }
  }

  /** A call to the store that has not been answered. */
  private final class PendingCall {

    private final Turn turn;
    private final EngineThreads.Reply<Object> answer;

    PendingCall(Turn turn, EngineThreads.Reply<Object> answer) {
      this.turn = turn;
      this.answer = answer;
    }

    Turn turn() {
      return turn;
    }

    void reply(Answer reply) {
      if (turn.offers() && !reply.used()) {
        offered = turn.number();
      }
      if (turn.withdraws()) {
        answer.handle(Result.of(reply.claim()));
      } else if (turn.most() > 0) {
        answer.handle(Result.of(new ExchangeReply(reply.finished(), reply.claim())));
      } else {
        answer.handle(Result.of(reply.finished()));
      }
    }

    void fail(RuntimeException failure) {
      answer.handle(Result.failed(failure));
    }
  }

  private @Nullable Turn sent;
  private @Nullable HandoffListener listener;
  private boolean handsOff = true;
  private long offered; // the number of the last offer

  private void handOff(long number, Supplier<Answer> claim) {
    requireNonNull(listener).handedOff(number, () -> Optional.of(claim.get().claim()));
  }

  private static Answer unexpected(String why) {
    throw new AssertionError(why);
  }

  private void open(MemberId member) {
    fetcher = new JobFetcher(context, member, SETTINGS, slots, completer);
    fetcher.open();
  }

  /** Stops as the worker does. */
  private void close() {
    fetcher.close();
    completer.hurry();
  }

  private boolean isQuiet() {
    return fetcher.isQuiet() && completer.isQuiet();
  }

  /** Notes what it was asked. */
  private final class Handoffs implements JobHandoffStore {

    @Override
    public void open(MemberId member, HandoffListener heard) {
      listener = heard;
    }

    @Override
    public ClaimReply withdraw(MemberId member, long number) {
      sent = new Turn(member, number, List.of(), 0, false, true);
      return ClaimReply.NONE;
    }

    @Override
    public void close(MemberId member) {}
  }

  /** A store that only notes what it was asked. */
  private JobStore aStore() {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "exchange" -> {
                    sent = turnOf((ExchangeRequest) arguments[0]);
                    yield new ExchangeReply(List.of(), ClaimReply.NONE);
                  }
                  case "complete" -> {
                    sent = reportOf(arguments[0]);
                    yield List.of();
                  }
                  case "handoff" -> handsOff ? Optional.of(new Handoffs()) : Optional.empty();
                  case "isImmediate" -> false;
                  case "pollInterval" -> Duration.ofSeconds(1);
                  case "now" -> Instant.EPOCH;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static Turn turnOf(ExchangeRequest asked) {
    return new Turn(
        asked.claim().member(),
        asked.claim().number(),
        asked.completions(),
        asked.claim().most(),
        asked.offers(),
        false);
  }

  @SuppressWarnings("unchecked")
  private static Turn reportOf(Object completions) {
    List<Completion> finishes = (List<Completion>) completions;
    return new Turn(finishes.get(0).job().owner(), 0, finishes, 0, false, false);
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
      Turn turn = sent;
      if (turn == null) {
        throw new IllegalStateException(what);
      }
      calls.add(new PendingCall(turn, (Reply<Object>) reply));
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
        new Lane("queue", "kind", "", 5),
        1,
        new byte[0],
        new JobRules(
            1, Duration.ofMinutes(1), Optional.empty(), Effect.AT_LEAST_ONCE, Optional.empty()),
        Optional.empty(),
        Instant.EPOCH,
        Map.of());
  }
}
