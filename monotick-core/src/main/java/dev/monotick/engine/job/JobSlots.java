package dev.monotick.engine.job;

import dev.monotick.engine.client.Payloads;
import dev.monotick.job.JobId;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.replica.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers that run here, and the jobs that wait for one of them. Methods without a remark are
 * called on the loop.
 */
final class JobSlots {

  private static final Logger log = LoggerFactory.getLogger(JobSlots.class);

  /**
   * How long a handler may ignore its interrupt before it is left alone with its thread: as long as
   * its timeout, but within these.
   */
  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(1);

  private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);

  private static final String ABANDONED =
      "handler ignores its interrupt, its thread is abandoned job={} lane={} ran={} because={}"
          + " leftAlone={}";

  private final JobWorkerContext context;
  private final JobHandlers handlers;
  private final Payloads payloads;
  private final Completions completions;
  private final RunStarts starts;
  private final int concurrency;
  private final ConcurrentLinkedQueue<Taken> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inHand = new AtomicInteger();
  private final Set<JobSlot> active = new LinkedHashSet<>();
  private final Set<JobSlot> awaited = new LinkedHashSet<>(); // left alone, and may tell their end
  private int abandoned; // handlers that still run, awaited or not
  private final Owner owner;
  private final AtomicInteger elsewhere = new AtomicInteger(); // slots begun, not active yet
  private volatile boolean stopped; // for good: nobody begins; written on the loop

  /** Who is told and asked, on any thread. */
  interface Owner {

    /** Takes the end of a run. */
    void finished(Completion finish, @Nullable RunningJob<?> job);

    /** There is a place for another job. */
    void freed();

    /** Returns whether jobs that were claimed under that membership may begin. */
    boolean mayRun(MemberId owner);

    /** So many handlers were left alone and still run. On the loop. */
    void abandoned(int handlers);
  }

  /** A job, and when it came. */
  private record Taken(ClaimedJob job, long nanos) {}

  JobSlots(
      JobWorkerContext context,
      JobHandlers handlers,
      Payloads payloads,
      int concurrency,
      Owner owner) {
    this.context = context;
    this.handlers = handlers;
    this.payloads = payloads;
    this.completions = new Completions(payloads);
    this.starts = new RunStarts(context);
    this.concurrency = concurrency;
    this.owner = owner;
  }

  JobWorkerContext context() {
    return context;
  }

  JobHandlers handlers() {
    return handlers;
  }

  Payloads payloads() {
    return payloads;
  }

  Completions completions() {
    return completions;
  }

  RunStarts starts() {
    return starts;
  }

  /** Returns how many jobs have a slot or wait for one. On any thread. */
  int inHand() {
    return inHand.get();
  }

  /** Says whether nothing is here whose end was not told. */
  boolean isEmpty() {
    return inHand.get() == 0 && awaited.isEmpty();
  }

  void add(List<ClaimedJob> jobs) {
    long nanos = context.time().nanos();
    inHand.addAndGet(jobs.size());
    for (ClaimedJob job : jobs) {
      waiting.add(new Taken(job, nanos));
    }
    startSlots();
  }

  /** Jobs were begun by {@link #tryBegin}. */
  void begun() {
    startSlots();
  }

  /**
   * Begins jobs right here, on whatever thread, if there is a slot for each of them: the loop would
   * take another change of threads. It hears of it by {@link #begun()}. No jobs may be {@linkplain
   * #add added} until then.
   */
  boolean tryBegin(List<ClaimedJob> jobs) {
    if (jobs.isEmpty() || inHand.get() + jobs.size() > concurrency) {
      return false;
    }
    long nanos = context.time().nanos();
    elsewhere.addAndGet(jobs.size()); // first: whoever sees the jobs sees that they have slots
    inHand.addAndGet(jobs.size());
    for (ClaimedJob job : jobs) {
      waiting.add(new Taken(job, nanos));
    }
    for (int i = 0; i < jobs.size(); i++) {
      JobSlot slot = new JobSlot(this);
      context.threads().execute(() -> begun(slot)); // before it can end
      if (!start(slot)) {
        context.threads().execute(() -> active.remove(slot));
      }
    }
    return true;
  }

  /** A slot began elsewhere. Whoever asked all to stop meanwhile did not know of it. */
  private void begun(JobSlot slot) {
    elsewhere.decrementAndGet();
    active.add(slot);
    RunningJob<?> job = slot.current();
    if (job != null && !mayRun(job.job())) {
      slot.stop(job, stopped ? JobCancelReason.STOPPING : JobCancelReason.MEMBERSHIP_LOST);
    }
  }

  private void startSlots() {
    int wanted = Math.min(concurrency, inHand.get());
    while (active.size() + elsewhere.get() < wanted && !waiting.isEmpty()) {
      JobSlot slot = new JobSlot(this);
      active.add(slot);
      if (!start(slot)) {
        active.remove(slot);
        return;
      }
    }
  }

  /** Gives a slot a thread; on any thread. */
  private boolean start(JobSlot slot) {
    try {
      slot.startedOn(context.threads().body("job", slot));
      return true;
    } catch (RuntimeException | Error e) { // no thread to be had; others go on
      log.error("no thread for a job, trying again when one ends", e);
      return false;
    }
  }

  /** Returns the next job for a slot, on its thread. */
  @Nullable ClaimedJob next() {
    Taken taken = waiting.poll();
    return taken == null ? null : taken.job();
  }

  /** Says whether a job may begin. On any thread. */
  boolean mayRun(ClaimedJob job) {
    return !stopped && owner.mayRun(job.owner());
  }

  /** Takes the end of a run, on any thread. */
  void finished(Completion finish, @Nullable RunningJob<?> job) {
    // In this order: whoever sees that no job is here must see its end as well, or a stop would
    // leave without it.
    owner.finished(finish, job);
    inHand.decrementAndGet();
    owner.freed();
  }

  /** Takes the end of a run whose handler was left alone, on any thread. */
  void finishedLate(Completion finish, @Nullable RunningJob<?> job) {
    owner.finished(finish, job);
    owner.freed();
  }

  /** A handler that was left alone has ended after all, on its thread. */
  void returned(JobSlot slot) {
    context
        .threads()
        .execute(
            () -> {
              awaited.remove(slot);
              owner.abandoned(--abandoned);
            });
  }

  /** A slot found nothing to do, on its thread. */
  void ended(JobSlot slot) {
    context
        .threads()
        .execute(
            () -> {
              active.remove(slot);
              startSlots(); // what came while it was ending
            });
  }

  /** Gives back what has waited longer than that for a slot; true if there was any. */
  boolean giveBack(Duration longerThan) {
    Taken first = waiting.peek();
    if (first == null || context.time().nanos() - first.nanos() < longerThan.toNanos()) {
      return false;
    }
    for (Taken taken = waiting.poll(); taken != null; taken = waiting.poll()) {
      giveBack(taken.job());
    }
    return true;
  }

  private void giveBack(ClaimedJob job) {
    finished(new Completion(job, new Completion.HandedBack(), null, Duration.ZERO), null);
  }

  /** Gives back jobs that were not added and must not begin here. */
  void giveBack(List<ClaimedJob> jobs) {
    inHand.addAndGet(jobs.size());
    jobs.forEach(this::giveBack);
  }

  /** Asks all handlers to stop, for good. */
  void stopAll() {
    stopped = true;
    stop(job -> true, JobCancelReason.STOPPING);
  }

  /** Asks those handlers to stop. */
  void stop(Predicate<RunningJob<?>> which, JobCancelReason cause) {
    for (JobSlot slot : active) {
      RunningJob<?> job = slot.current();
      if (job != null && which.test(job)) {
        slot.stop(job, cause);
      }
    }
  }

  /** Sees to those that take too long; called every now and then. */
  void watch() {
    for (JobSlot slot : List.copyOf(active)) {
      RunningJob<?> job = slot.current();
      if (job == null) {
        continue;
      }
      Duration timeout = job.job().rules().timeout();
      if (job.isCancelled()) {
        losePatience(slot, job);
      } else if (job.ran().compareTo(timeout) >= 0) {
        log.warn("timed out, stopping job={} lane={} timeout={}", job.id(), job.lane(), timeout);
        slot.stop(job, JobCancelReason.TIMEOUT);
      }
    }
    for (JobSlot slot : List.copyOf(awaited)) {
      RunningJob<?> job = slot.current();
      if (job != null && hasHadItsTime(job) && slot.silence(job)) {
        awaited.remove(slot);
        finishedLate(endOf(job), job);
      }
    }
  }

  /** Frees the slot of a handler that ignores its interrupt. Its thread cannot be. */
  private void losePatience(JobSlot slot, RunningJob<?> job) {
    JobCancelReason cause = job.stopCause();
    boolean isLeaving =
        cause == JobCancelReason.STOPPING; // nobody needs the slot, and it is reported
    Duration patience = patience(job.job().rules().timeout());
    if (isLeaving || job.ignoredFor().compareTo(patience) < 0) {
      return;
    }
    // If this replica was only taken for dead, the end may still count: it is awaited for as long
    // as the job may take.
    boolean isAwaited = cause == JobCancelReason.MEMBERSHIP_LOST && !hasHadItsTime(job);
    if (slot.abandon(job, isAwaited)) {
      active.remove(slot);
      owner.abandoned(++abandoned);
      log.error(ABANDONED, job.id(), job.lane(), job.ran(), cause, abandoned);
      if (isAwaited) {
        awaited.add(slot);
        inHand.decrementAndGet();
        owner.freed();
      } else {
        finished(endOf(job), job);
      }
      startSlots();
    }
  }

  private static boolean hasHadItsTime(RunningJob<?> job) {
    Duration timeout = job.job().rules().timeout();
    return job.ran().compareTo(timeout.plus(patience(timeout))) >= 0;
  }

  private Completion endOf(RunningJob<?> job) {
    Completion.End end = completions.ignoredInterrupt(job, context.replicaName());
    return new Completion(job.job(), end, job.startedAt(), job.ran());
  }

  private static Duration patience(Duration timeout) {
    if (timeout.compareTo(MOST_PATIENCE) > 0) {
      return MOST_PATIENCE;
    }
    return timeout.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : timeout;
  }

  /** Returns what runs longer than that. */
  List<RunningJob<?>> running(Duration longerThan) {
    return current().stream().filter(job -> job.ran().compareTo(longerThan) >= 0).toList();
  }

  /** Returns the jobs whose handlers run now. */
  List<JobId> running() {
    List<JobId> ids = new ArrayList<>();
    for (RunningJob<?> job : current()) {
      ids.add(job.id());
    }
    return ids;
  }

  private List<RunningJob<?>> current() {
    List<RunningJob<?>> jobs = new ArrayList<>();
    for (Set<JobSlot> slots : List.of(active, awaited)) {
      for (JobSlot slot : slots) {
        RunningJob<?> job = slot.current();
        if (job != null) {
          jobs.add(job);
        }
      }
    }
    return jobs;
  }
}
