package dev.monotick.engine.job;

import dev.monotick.engine.send.SendUntilAnswered;
import dev.monotick.engine.send.StoreCall;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reports how runs ended, until the store has recorded it.
 *
 * <p>There is one completer per process. It outlives memberships: a completion names the membership
 * under which its job was claimed, and the store decides whether it counts. Nothing is dropped. A
 * completion without an answer is sent again; one that the store refuses is kept unchanged and sent
 * alone from then on, see {@link SendUntilAnswered}.
 *
 * <p>Completions are batched because each batch costs a commit:
 *
 * <ul>
 *   <li>While a claim is under way, fewer than {@value #MANY} completions wait for its answer and
 *       travel with the next claim in one exchange.
 *   <li>{@value #MANY} or more are sent at once, beside the claim, so that the store records and
 *       claims at the same time.
 *   <li>If no claim is under way, {@value #ENOUGH} are sent at once and fewer after two
 *       milliseconds, preferably with a claim: a completion may make room under a limit or a job
 *       ready.
 *   <li>If no jobs are claimed any more, they are sent at once.
 * </ul>
 *
 * <p>A batch holds completions of one membership. Those of an earlier membership travel with no
 * claim and are sent at once. {@link #add} and {@link #announce} may be called on any thread,
 * everything else on the loop.
 */
final class JobCompleter {

  private static final Duration LINGER = Duration.ofMillis(2);
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

  private static final int ENOUGH = 100;
  private static final int MANY = 250;
  private static final int LARGEST = 2_000;

  /** A batch that has more bytes of results takes no more completions. */
  private static final long MOST_BYTES = 8L << 20;

  /** No jobs are claimed while so many completions wait: they could not be reported. */
  private static final int TOO_MANY = 2 * LARGEST;

  private final JobWorkerContext context;
  private final EngineThreads threads;
  private final JobTelemetry telemetry;
  private final SendUntilAnswered<EndedRun, Boolean> sender;
  private final AtomicBoolean announced = new AtomicBoolean();
  private volatile @Nullable JobFetcher fetcher; // of the present membership; written on the loop
  private boolean lingering;
  private @Nullable Instant refusedSince;

  JobCompleter(JobWorkerContext context, JobTelemetry telemetry) {
    this.context = context;
    this.threads = context.threads();
    this.telemetry = telemetry;
    int seed = context.replica().hashCode();
    StoreCall.Target target =
        new StoreCall.Target("completion of jobs", context.store().isImmediate(), seed);
    this.sender = new SendUntilAnswered<>(threads, target, LONGEST_DELAY, new Calls());
  }

  /** Has completions travel with the claims of a new membership; null for none. */
  void travelWith(@Nullable JobFetcher claims) {
    fetcher = claims;
  }

  /** Adds a completion. {@link #announce} follows. On any thread. */
  void add(Completion finish, @Nullable JobCancelReason cause) {
    sender.add(new EndedRun(finish, cause));
  }

  /** Has the loop look after what was added, and after the slot that became free. On any thread. */
  void announce() {
    // The answer of a call that is under way looks after it; or else this sees that it came. To
    // wake the loop for each completion costs more than most handlers do. One of an earlier
    // membership does not travel with the claim, so it must not wait for its answer.
    JobFetcher claims = fetcher;
    boolean isClaiming = claims != null && claims.isClaiming() && mayTravelWith(claims);
    boolean isSeen = sender.isSending() || (isClaiming && sender.waiting() < MANY);
    if (!isSeen && announced.compareAndSet(false, true)) {
      threads.execute(
          () -> {
            announced.set(false);
            goOn();
          });
    }
  }

  /** Sends what should be sent now, and claims jobs if that is due. */
  void goOn() {
    sender.sendRefused();
    JobFetcher claims = fetcher;
    if (sender.waiting() >= MANY || !mayTravelWith(claims)) {
      sender.sendWaiting();
    }
    if (claims != null) {
      claims.claimIfDue();
    }
    if (sender.waiting() == 0 || isUnderWay()) {
      return;
    }
    if (sender.waiting() >= ENOUGH || claims == null || !claims.isOpen()) {
      flush();
    } else if (!lingering) {
      lingering = true;
      threads.schedule(LINGER, this::lingered);
    }
  }

  /** Returns whether the first completion, if there is one, belongs to the membership of claims. */
  private boolean mayTravelWith(@Nullable JobFetcher claims) {
    EndedRun first = sender.first();
    return claims != null && (first == null || first.owner().equals(claims.member()));
  }

  private boolean isUnderWay() {
    JobFetcher claims = fetcher;
    return sender.isSending() || (claims != null && claims.isClaiming());
  }

  private void lingered() {
    if (lingering && !isUnderWay()) {
      flush();
    }
    lingering = false;
  }

  private void flush() {
    lingering = false;
    JobFetcher claims = fetcher;
    if (claims == null || !claims.claimNow()) {
      sender.sendWaiting();
    }
  }

  /**
   * Returns whether a batch is under way that is answered soon: then it is better to wait, so that
   * what is sent next goes together.
   */
  boolean isSendingFew() {
    int few = sender.sendingNew();
    return sender.isSending() && few > 0 && few < MANY;
  }

  /** Returns whether a batch is under way that no claim took along. */
  boolean isSending() {
    return sender.isSending();
  }

  /** Returns whether so many completions wait that no more jobs should be claimed. */
  boolean isOverloaded() {
    return sender.waiting() + sender.refused() >= TOO_MANY;
  }

  /** Removes and returns completions to be sent with a claim; none while others are under way. */
  List<EndedRun> take(JobFetcher claims) {
    if (sender.isSending() || !mayTravelWith(claims)) {
      return List.of();
    }
    lingering = false;
    return sender.take();
  }

  /** Takes the result of an exchange with completions that were taken. */
  void returned(List<EndedRun> batch, Result<List<Boolean>> result) {
    if (sender.returned(batch, result)) {
      record(batch, result.value());
    }
  }

  private void record(List<EndedRun> batch, List<Boolean> recorded) {
    for (int i = 0; i < batch.size(); i++) {
      EndedRun end = batch.get(i);
      telemetry.ended(end.finish(), recorded.get(i), end.cause());
    }
  }

  /** Sends refused completions at once: the process may end before their time comes. */
  void hurry() {
    sender.hurry();
  }

  /** Returns whether every completion is recorded. */
  boolean isQuiet() {
    return sender.isIdle();
  }

  /** Calls the store. */
  private final class Calls implements SendUntilAnswered.Owner<EndedRun, Boolean> {

    @Override
    public List<Boolean> send(List<EndedRun> batch) {
      return context.store().complete(batch.stream().map(EndedRun::finish).toList());
    }

    @Override
    public Predicate<EndedRun> newBatch() {
      return new Batch();
    }

    @Override
    public void answered(List<EndedRun> batch, List<Boolean> replies) {
      record(batch, replies);
      JobFetcher claims = fetcher;
      if (claims != null) {
        claims.completed(batch.size());
      }
    }

    @Override
    public void ready() {
      goOn();
    }

    @Override
    public void refusalsChanged(int count) {
      if (count == 0) {
        refusedSince = null;
      } else if (refusedSince == null) {
        refusedSince = context.store().now();
      }
      telemetry.refusedCompletions(count, refusedSince);
    }

    @Override
    public String describe(EndedRun end) {
      String outcome = end.finish().result().getClass().getSimpleName();
      return "job " + end.finish().job().id() + " of " + context.replicaName() + ", " + outcome;
    }
  }

  /** Decides which completions go together: those of one membership, up to a size. */
  private static final class Batch implements Predicate<EndedRun> {

    private @Nullable MemberId owner;
    private int size;
    private long bytes;

    @Override
    public boolean test(EndedRun next) {
      if (owner == null) {
        owner = next.owner();
      }
      boolean fits = size < LARGEST && bytes < MOST_BYTES && next.owner().equals(owner);
      size++;
      bytes += next.bytes();
      return fits;
    }
  }
}
