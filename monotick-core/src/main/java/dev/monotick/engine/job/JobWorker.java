package dev.monotick.engine.job;

import dev.monotick.engine.send.ResendDelay;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.Result;
import dev.monotick.internal.StoreFailures;
import dev.monotick.job.JobId;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs on this replica. All methods are called on the engine's loop.
 *
 * <p>Takes jobs only while this replica is proven to live, because those of one that is not are
 * given to others. What ended is reported whatever happens: the store knows whether it counts.
 */
public final class JobWorker {

  private static final Logger log = LoggerFactory.getLogger(JobWorker.class);

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** How long a job may wait here for a slot before it is given back. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  /** How often others are told of jobs that run, and how long one runs before they are. */
  private static final Duration NOTE_EVERY = Duration.ofSeconds(1);

  /** Replicas that are gone are noticed at once; this is for those that claim after they were. */
  private static final Duration RESCUE_EVERY = Duration.ofSeconds(60);

  private final JobWorkerContext context;
  private final EngineThreads threads;
  private final Predicate<MemberId> isMember;
  private final JobSlots slots;
  private final JobWorkerSettings settings;
  private final JobCompleter completer;
  private final JobTelemetry telemetry;
  private final ResendDelay rescueRetry;
  private final ConcurrentLinkedQueue<OwnedNote> lastNotes = new ConcurrentLinkedQueue<>();
  private final List<JobFetcher> closing = new ArrayList<>(); // of memberships that were lost
  private @Nullable JobFetcher fetcher; // of the present membership
  private Set<MemberId> seen = Set.of();
  private EngineThreads.Cancellable nextRescue = () -> {};
  private boolean started;
  private boolean stopping;
  private boolean rescuing;
  private boolean rescueAgain;
  private boolean noting;
  private boolean notesFail;
  private long lastNoteNanos;

  /**
   * Creates a worker.
   *
   * @param isMember tests, on any thread, whether this process is proven to live under an id
   */
  public JobWorker(
      JobWorkerContext context,
      JobWorkerSettings settings,
      JobHandlers handlers,
      JobTelemetry telemetry,
      Predicate<MemberId> isMember) {
    this.context = context;
    this.threads = context.threads();
    this.telemetry = telemetry;
    this.isMember = isMember;
    this.slots =
        new JobSlots(context, handlers, telemetry.payloads(), settings.concurrency(), new Slots());
    this.completer = new JobCompleter(context, telemetry);
    this.settings = settings;
    this.rescueRetry = new ResendDelay(context.replica().hashCode());
    this.lastNoteNanos = context.time().nanos();
  }

  /** Starts to listen; jobs are taken once this replica {@linkplain #joined joined}. */
  public void start() {
    started = true;
    context.store().onReady(queues -> threads.execute(() -> notified(queues)));
    context.store().onEnded(ids -> threads.execute(() -> ended(ids)));
  }

  /** This process is proven to live, newly or again, and then under another id than before. */
  public void joined(MemberId member) {
    if (started && !stopping) {
      fetcher = new JobFetcher(context, member, settings, slots, completer);
      fetcher.open();
      rescueNowAndThen();
      rescueAfterGrace(); // of what this process, or one that died, left under a former id
    }
  }

  private void rescueAfterGrace() {
    threads.schedule(MemberRegistry.REJOIN_GRACE.plus(NOTE_EVERY), this::rescue);
  }

  /** Updates the set of live replicas and rescues the jobs of those that disappeared. */
  public void heartbeatRecorded(Set<MemberId> live) {
    boolean gone = !live.containsAll(seen);
    seen = Set.copyOf(live);
    if (gone && started) {
      rescue();
      // Their process may have joined again just before, or a claim may have been locked.
      rescueAfterGrace();
    }
  }

  /** This replica is no longer proven to live: others may take what it has. */
  public void membershipLost() {
    JobFetcher lost = fetcher;
    if (lost != null) {
      fetcher = null;
      closing.removeIf(JobFetcher::isQuiet);
      closing.add(lost);
      lost.membershipLost();
    }
    slots.giveBack(Duration.ZERO);
    slots.stop(job -> true, JobCancelReason.MEMBERSHIP_LOST);
  }

  /** Returns whether there is anything that {@link #watch} sees to. */
  public boolean isBusy() {
    return !slots.isEmpty() || !lastNotes.isEmpty();
  }

  /** Sees to what takes too long; called all the time while there is anything. */
  public void watch() {
    slots.watch();
    if (slots.giveBack(LONGEST_WAIT) && fetcher != null) {
      fetcher.slowDown();
    }
    long nanos = context.time().nanos();
    if (nanos - lastNoteNanos >= NOTE_EVERY.toNanos()) {
      lastNoteNanos = nanos;
      recordProgress();
    }
  }

  /** Takes no more; gives back what has not begun. Handlers go on. */
  public void beginStop() {
    stopping = true;
    if (fetcher != null) {
      fetcher.close();
    }
    completer.hurry();
    slots.giveBack(Duration.ZERO);
  }

  /** Asks all handlers to stop. */
  public void stopHandlers() {
    slots.stopAll();
  }

  /** Returns whether nothing runs, and everything that ended was reported. */
  public boolean isQuiet() {
    boolean isFetching = fetcher != null && !fetcher.isQuiet();
    return !isFetching
        && closing.stream().allMatch(JobFetcher::isQuiet)
        && slots.isEmpty()
        && completer.isQuiet()
        && lastNotes.isEmpty()
        && !noting;
  }

  /** Returns the jobs whose handlers run now. */
  public List<JobId> running() {
    return slots.running();
  }

  /** What slots say and ask, on any thread. */
  private final class Slots implements JobSlots.Owner {

    @Override
    public void finished(Completion finish, @Nullable RunningJob<?> job) {
      if (job != null && job.hasLines()) {
        lastNotes.add(new OwnedNote(job));
      }
      completer.add(finish, job == null ? null : job.stopCause());
    }

    @Override
    public void freed() {
      completer.announce();
    }

    @Override
    public boolean mayRun(MemberId owner) {
      return isMember.test(owner);
    }

    @Override
    public void abandoned(int handlers) {
      telemetry.abandoned(handlers);
    }
  }

  private void notified(Set<String> queues) {
    if (fetcher != null) {
      fetcher.notified(queues);
    }
  }

  private void ended(Set<JobId> ids) {
    slots.stop(job -> ids.contains(job.id()), JobCancelReason.CANCELLED);
  }

  private void recordProgress() {
    if (noting) {
      return;
    }
    Map<MemberId, List<RunProgress>> notes = new HashMap<>();
    slots.running(NOTE_EVERY).forEach(job -> new OwnedNote(job).addTo(notes));
    for (OwnedNote last = lastNotes.poll(); last != null; last = lastNotes.poll()) {
      last.addTo(notes);
    }
    if (notes.isEmpty()) {
      return;
    }
    noting = true;
    threads.call("notes of jobs", CALL_TIMEOUT, () -> send(notes), this::progressRecorded);
  }

  private Set<JobRun> send(Map<MemberId, List<RunProgress>> notes) {
    Set<JobRun> over = new HashSet<>();
    notes.forEach((owner, ofOwner) -> over.addAll(context.store().note(owner, ofOwner)));
    return over;
  }

  /** What is known of a run, and the membership under which its job was claimed. */
  private record OwnedNote(MemberId owner, RunProgress note) {

    OwnedNote(RunningJob<?> job) {
      this(job.job().owner(), job.progressReport());
    }

    void addTo(Map<MemberId, List<RunProgress>> notes) {
      notes.computeIfAbsent(owner, any -> new ArrayList<>()).add(note);
    }
  }

  private void progressRecorded(Result<Set<JobRun>> result) {
    noting = false;
    if (result.isValue()) {
      Set<JobRun> over = result.value();
      slots.stop(job -> over.contains(job.job().run()), JobCancelReason.OVER);
    } else {
      // They are for people: lines are lost rather than kept for ever.
      if (!notesFail) {
        log.warn(
            "progress and log lines of jobs cannot be recorded cause={}",
            StoreFailures.describe(result.failure()),
            StoreFailures.trace(result.failure()));
      }
    }
    notesFail = !result.isValue();
  }

  private void rescueNowAndThen() {
    nextRescue.cancel(); // whoever joins again and again has one of them all the same
    if (!stopping && fetcher != null) {
      rescue();
      nextRescue = threads.schedule(RESCUE_EVERY, this::rescueNowAndThen);
    }
  }

  private void rescue() {
    if (rescuing) {
      rescueAgain = true;
      return;
    }
    rescuing = true;
    rescueAgain = false;
    threads.call("rescue of jobs", CALL_TIMEOUT, () -> context.store().rescue(), this::rescued);
  }

  private void rescued(Result<Integer> result) {
    rescuing = false;
    if (!result.isValue()) {
      if (!rescueRetry.isFailing()) {
        log.warn(
            "rescue of jobs got no answer, trying again cause={}",
            StoreFailures.describe(result.failure()),
            StoreFailures.trace(result.failure()));
      }
      threads.schedule(rescueRetry.failed(), this::rescue);
      return;
    }
    rescueRetry.succeeded();
    if (result.value() > 0) {
      telemetry.rescued(result.value());
      notified(Set.of());
    }
    if (rescueAgain) {
      rescue();
    }
  }
}
