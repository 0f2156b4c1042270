package dev.monotick.engine.job;

import dev.monotick.engine.send.ResendDelay;
import dev.monotick.engine.send.StoreCall;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import dev.monotick.spi.job.ClaimReply;
import dev.monotick.spi.job.ClaimRequest;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.ExchangeReply;
import dev.monotick.spi.job.ExchangeRequest;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs for one membership: decides when, and how many.
 *
 * <p>A fetcher lives as long as its membership. One claim is under way at a time. Claims have
 * numbers, from 1; a number is kept until jobs were claimed under it, so that a claim that is
 * repeated, a {@linkplain JobHandoff handed-off} job and the answer to a poll cannot both bring
 * jobs. An answer that arrives after the membership ended starts nothing: its jobs are handed back
 * under that membership.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><td>WAITING</td><td>no job is known; a notification or the poll timer ends it</td></tr>
 *   <tr><td>DUE</td><td>jobs may be waiting; claims as soon as there is room</td></tr>
 *   <tr><td>CLAIMING</td><td>a claim has no answer yet</td></tr>
 *   <tr><td>CLAIMING_AGAIN</td><td>the same, and a notification came meanwhile</td></tr>
 *   <tr><td>REFUSED</td><td>the store refused a claim; a timer makes the next one due</td></tr>
 *   <tr><td>CLOSING</td><td>closed, but a claim has no answer yet</td></tr>
 *   <tr><td>CLOSED</td><td>claims nothing any more</td></tr>
 * </table>
 *
 * <p>Notifications are hints, so a fetcher that waits polls: after 50 ms, then twice as long each
 * time, up to the store's interval, less up to a fifth so that replicas that started together do
 * not poll together. All times are of the local monotonic clock.
 *
 * <p>Used on the loop, except for {@link #isClaiming}.
 */
final class JobFetcher {

  private static final Logger log = LoggerFactory.getLogger(JobFetcher.class);

  private static final Duration LOG_EVERY = Duration.ofMinutes(1);
  private static final long FIRST_POLL_MILLIS = 50;

  private enum State {
    WAITING,
    DUE,
    CLAIMING,
    CLAIMING_AGAIN,
    REFUSED,
    CLOSING,
    CLOSED
  }

  private final JobWorkerContext context;
  private final EngineThreads threads;
  private final MemberId member;
  private final JobWorkerSettings settings;
  private final JobSlots slots;
  private final JobCompleter completer;
  private final JobHandoff handoff;
  private final Prefetch prefetch;
  private final StoreCall<Sent, ExchangeReply> call;
  private final ResendDelay refusals;
  private State state = State.DUE;
  private long number = 1; // of the next claim
  private long polls;
  private long pollMillis = FIRST_POLL_MILLIS;
  private EngineThreads.Cancellable nextPoll = () -> {};
  private @Nullable Long loggedNanos; // when a refusal was logged

  /**
   * An exchange that is under way.
   *
   * @param ends the completions it takes along
   * @param isBeside whether it has none because others are sent beside it
   */
  private record Sent(ExchangeRequest request, List<EndedRun> ends, boolean isBeside) {}

  JobFetcher(
      JobWorkerContext context,
      MemberId member,
      JobWorkerSettings settings,
      JobSlots slots,
      JobCompleter completer) {
    this.context = context;
    this.threads = context.threads();
    this.member = member;
    this.settings = settings;
    this.slots = slots;
    this.completer = completer;
    this.handoff = new JobHandoff(context, member, slots, this);
    this.prefetch = new Prefetch(settings.concurrency(), context.time().nanos());
    int seed = context.replica().hashCode();
    this.call =
        new StoreCall<>(
            threads,
            new StoreCall.Target("claim of jobs", context.store().isImmediate(), seed),
            sent -> context.store().exchange(sent.request()),
            new Answers());
    this.refusals = new ResendDelay(seed);
  }

  /** Begins to claim jobs. */
  void open() {
    handoff.open();
    completer.travelWith(this);
    completer.goOn();
  }

  /** Claims no more, because the process stops. It is still a member, and withdraws its offer. */
  void close() {
    end();
    if (state == State.CLOSED) {
      handoff.close();
    }
    completer.goOn();
  }

  /** Claims no more, because the membership is lost. Its offer ends with it. */
  void membershipLost() {
    end();
    handoff.membershipLost();
    completer.travelWith(null);
    completer.goOn();
  }

  private void end() {
    nextPoll.cancel();
    state = call.isBusy() ? State.CLOSING : State.CLOSED;
  }

  /** Returns the membership. */
  MemberId member() {
    return member;
  }

  /** Returns whether jobs are still claimed. */
  boolean isOpen() {
    return state != State.CLOSING && state != State.CLOSED;
  }

  /** Returns whether nothing of this is under way. */
  boolean isQuiet() {
    return !call.isBusy() && handoff.isQuiet();
  }

  /** There may be jobs in these queues; empty for any. */
  void notified(Set<String> queues) {
    boolean isOurs =
        queues.isEmpty()
            || settings.queues().isEmpty()
            || queues.stream().anyMatch(settings.queues()::contains);
    if (isOurs) {
      notified();
    }
  }

  /** There may be jobs. */
  void notified() {
    beDue();
    completer.goOn();
  }

  private void beDue() {
    if (state == State.WAITING) {
      state = State.DUE;
    } else if (state == State.CLAIMING) {
      state = State.CLAIMING_AGAIN;
    }
  }

  /** Claims fewer jobs ahead: some waited too long for a slot. */
  void slowDown() {
    prefetch.reset();
  }

  /** Returns whether a claim has no answer yet. On any thread. */
  boolean isClaiming() {
    return call.isBusy();
  }

  /** Claims jobs if one may be waiting and there is room. */
  void claimIfDue() {
    if (state == State.DUE && !completer.isSendingFew()) {
      boolean unused = claim();
    }
  }

  /** Claims jobs now if there is room, although none may be waiting; returns whether it did. */
  boolean claimNow() {
    return (state == State.WAITING || state == State.DUE) && claim();
  }

  /** Completions were recorded that no claim took along. */
  void completed(int count) {
    prefetch.ended(count, context.time().nanos());
    beDue(); // room under a limit, or a job that waited for one of these
  }

  private boolean claim() {
    int room = room();
    if (room == 0 || !handoff.beginPoll(number)) {
      return false;
    }
    nextPoll.cancel();
    boolean isBeside = completer.isSending();
    List<EndedRun> ends = completer.take(this);
    // An offer costs a row, so it is made if something is written anyway, or after two empty polls;
    // and only for a job that could begin at once.
    boolean isWorth = !ends.isEmpty() || pollMillis > FIRST_POLL_MILLIS;
    boolean offers = isWorth && handoff.isPossible() && slots.inHand() < settings.concurrency();
    ClaimRequest claim =
        new ClaimRequest(member, number, room, slots.handlers().kinds(), settings.queues());
    List<Completion> completions = ends.stream().map(EndedRun::finish).toList();
    state = State.CLAIMING;
    polls++;
    call.send(new Sent(new ExchangeRequest(completions, claim, offers), ends, isBeside));
    return true;
  }

  private int room() {
    return slots.handlers().isEmpty() || completer.isOverloaded()
        ? 0
        : prefetch.room(slots.inHand(), context.time().nanos());
  }

  private final class Answers implements StoreCall.Replies<Sent, ExchangeReply> {

    @Override
    public void answered(Sent sent, ExchangeReply reply) {
      refusals.succeeded();
      completer.returned(sent.ends(), Result.of(reply.completed()));
      if (!sent.isBeside()) {
        prefetch.ended(sent.ends().size(), context.time().nanos());
      }
      handoff.polled(sent.request().offers() && !reply.claim().used());
      if (reply.claim().used()) {
        number++;
      }
      take(reply.claim());
      completer.goOn();
    }

    @Override
    public void refused(Sent sent, Throwable failure) {
      number++; // jobs may have been claimed under this one
      if (sent.ends().isEmpty()) { // else the completer logs it
        logRefusal(failure);
      }
      completer.returned(sent.ends(), Result.failed(failure));
      handoff.polled(false);
      if (state == State.CLOSING) {
        closed();
      } else {
        state = State.REFUSED;
        nextPoll = threads.schedule(refusals.failed(), JobFetcher.this::retry);
      }
      completer.goOn();
    }
  }

  private void take(ClaimReply reply) {
    if (state == State.CLOSING) {
      slots.giveBack(reply.jobs()); // the store knows whether they are still ours
      closed();
      return;
    }
    slots.add(reply.jobs());
    boolean isSpent = reply.used() && reply.jobs().isEmpty(); // so no other jobs were claimed
    if (reply.more() || isSpent || state == State.CLAIMING_AGAIN) {
      state = State.DUE;
    } else {
      waitForJobs(reply);
    }
  }

  private void closed() {
    state = State.CLOSED;
    handoff.close();
  }

  /** Jobs were handed off under the present number. */
  void handedOff(ClaimReply reply) {
    if (reply.used()) {
      number++;
    }
    if (state == State.WAITING) {
      waitForJobs(reply);
    }
    completer.goOn();
  }

  private void waitForJobs(ClaimReply reply) {
    state = State.WAITING;
    long longest = context.store().pollInterval().toMillis();
    boolean isIdle = reply.jobs().isEmpty();
    pollMillis = isIdle ? Math.min(longest, 2 * pollMillis) : FIRST_POLL_MILLIS;
    long spread = Math.max(1, pollMillis / 5);
    long less = Math.floorMod(31L * context.replica().hashCode() + 17L * polls, spread);
    Duration wait = Duration.ofMillis(pollMillis - less);
    Duration due = reply.nextDue().orElse(wait);
    nextPoll.cancel();
    nextPoll = threads.schedule(due.compareTo(wait) < 0 ? due : wait, this::notified);
  }

  private void retry() {
    if (state == State.REFUSED) {
      state = State.DUE;
      completer.goOn();
    }
  }

  /** Once a minute: what is refused once is likely to be refused again and again. */
  private void logRefusal(Throwable failure) {
    long nanos = context.time().nanos();
    if (loggedNanos == null || nanos - loggedNanos >= LOG_EVERY.toNanos()) {
      loggedNanos = nanos;
      log.error("the store refused to claim jobs, trying again replica={}", member, failure);
    }
  }
}
