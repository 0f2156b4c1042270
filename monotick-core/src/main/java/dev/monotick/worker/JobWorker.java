package dev.monotick.worker;

import dev.monotick.job.JobId;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobNote;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.job.store.ReadyListener;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.store.StoreFailures;
import dev.monotick.thread.EngineThreads;
import dev.monotick.thread.Result;
import dev.monotick.thread.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
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

  private final WorkerContext context;
  private final EngineThreads threads;
  private final Predicate<ReplicaId> isMember;
  private final JobSlots slots;
  private final Turns turns;
  private final JobTelemetry telemetry;
  private final Retry rescueRetry;
  private final ConcurrentLinkedQueue<OwnedNote> lastNotes = new ConcurrentLinkedQueue<>();
  private Set<ReplicaId> seen = Set.of();
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
      WorkerContext context,
      WorkerSettings settings,
      JobHandlers handlers,
      JobTelemetry telemetry,
      Predicate<ReplicaId> isMember) {
    this.context = context;
    this.threads = context.threads();
    this.telemetry = telemetry;
    this.isMember = isMember;
    this.slots =
        new JobSlots(context, handlers, telemetry.payloads(), settings.concurrency(), new Slots());
    this.turns = new Turns(context, settings, handlers, slots, telemetry);
    this.rescueRetry = new Retry(context.replica().hashCode());
    this.lastNoteNanos = context.time().nanos();
  }

  /** Starts to listen; jobs are taken once this replica {@linkplain #joined joined}. */
  public void start() {
    started = true;
    context.store().whenReady(new News());
    context.store().whenEnded(ids -> threads.execute(() -> ended(ids)));
  }

  /** This process is proven to live, newly or again, and then under another id than before. */
  public void joined(ReplicaId member) {
    if (started && !stopping) {
      turns.open(member);
      rescueNowAndThen();
      rescueAfterGrace(); // of what this process, or one that died, left under a former id
    }
  }

  private void rescueAfterGrace() {
    threads.schedule(ReplicaRegistry.REJOIN_GRACE.plus(NOTE_EVERY), this::rescue);
  }

  /** Updates the set of live replicas and rescues the jobs of those that disappeared. */
  public void beaten(Set<ReplicaId> live) {
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
    turns.membershipLost().ifPresent(context.store()::membershipLost);
    slots.giveBack(Duration.ZERO);
    slots.stop(job -> true, StopCause.MEMBERSHIP_LOST);
  }

  /** Says whether there is anything that {@link #watch} sees to. */
  public boolean isBusy() {
    return !slots.isEmpty() || !lastNotes.isEmpty();
  }

  /** Sees to what takes too long; called all the time while there is anything. */
  public void watch() {
    slots.watch();
    if (slots.giveBack(LONGEST_WAIT)) {
      turns.slowDown();
    }
    long nanos = context.time().nanos();
    if (nanos - lastNoteNanos >= NOTE_EVERY.toNanos()) {
      lastNoteNanos = nanos;
      note();
    }
  }

  /** Takes no more; gives back what has not begun. Handlers go on. */
  public void beginStop() {
    stopping = true;
    turns.close();
    slots.giveBack(Duration.ZERO);
  }

  /** Asks all handlers to stop. */
  public void stopHandlers() {
    slots.stopAll();
  }

  /** Says whether nothing runs, and everything that ended was reported. */
  public boolean isQuiet() {
    return slots.isEmpty() && turns.isQuiet() && lastNotes.isEmpty() && !noting;
  }

  /** Returns the jobs whose handlers run now. */
  public List<JobId> running() {
    return slots.running();
  }

  /** What slots say and ask, on any thread. */
  private final class Slots implements JobSlots.Owner {

    @Override
    public void finished(JobFinish finish, @Nullable RunningJob<?> job) {
      if (job != null && job.hasLines()) {
        lastNotes.add(new OwnedNote(job));
      }
      turns.add(finish, job == null ? null : job.stopCause());
    }

    @Override
    public void freed() {
      turns.tell();
    }

    @Override
    public boolean mayRun(ReplicaId owner) {
      return isMember.test(owner);
    }

    @Override
    public void leftAlone(int handlers) {
      telemetry.leftAlone(handlers);
    }
  }

  /** What the store says of new jobs, on any thread. */
  private final class News implements ReadyListener {

    @Override
    public void ready(Set<String> queues) {
      threads.execute(() -> turns.wake(queues));
    }

    @Override
    public void ready(Set<String> queues, Function<JobTurn, JobTurnReply> store) {
      if (!turns.wake(queues, store)) {
        ready(queues);
      }
    }
  }

  private void ended(Set<JobId> ids) {
    slots.stop(job -> ids.contains(job.id()), StopCause.CANCELLED);
  }

  private void note() {
    if (noting) {
      return;
    }
    Map<ReplicaId, List<JobNote>> notes = new HashMap<>();
    slots.running(NOTE_EVERY).forEach(job -> new OwnedNote(job).addTo(notes));
    for (OwnedNote last = lastNotes.poll(); last != null; last = lastNotes.poll()) {
      last.addTo(notes);
    }
    if (notes.isEmpty()) {
      return;
    }
    noting = true;
    threads.call("notes of jobs", CALL_TIMEOUT, () -> send(notes), this::noted);
  }

  private Set<JobRun> send(Map<ReplicaId, List<JobNote>> notes) {
    Set<JobRun> over = new HashSet<>();
    notes.forEach((owner, ofOwner) -> over.addAll(context.store().note(owner, ofOwner)));
    return over;
  }

  /** What is known of a run, and the membership under which its job was claimed. */
  private record OwnedNote(ReplicaId owner, JobNote note) {

    OwnedNote(RunningJob<?> job) {
      this(job.job().owner(), job.note());
    }

    void addTo(Map<ReplicaId, List<JobNote>> notes) {
      notes.computeIfAbsent(owner, any -> new ArrayList<>()).add(note);
    }
  }

  private void noted(Result<Set<JobRun>> result) {
    noting = false;
    if (result.isValue()) {
      Set<JobRun> over = result.value();
      slots.stop(job -> over.contains(job.job().run()), StopCause.OVER);
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
    if (!stopping && turns.isOpen()) {
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
      turns.wake(new HashSet<>());
    }
    if (rescueAgain) {
      rescue();
    }
  }
}
