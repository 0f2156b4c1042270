package dev.monotick.worker;

import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import dev.monotick.store.StoreException;
import dev.monotick.thread.EngineThreads;
import dev.monotick.thread.Result;
import dev.monotick.thread.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchanges with the store: one at a time, each with all that ended meanwhile, and asking for
 * as many jobs as there is room for. One without a definite answer is repeated as it was.
 *
 * <p>A job is asked for as soon as there may be one; what ended may wait a moment for company, but
 * goes with whatever leaves first. While an exchange is under way the next one gathers, so batches
 * grow with the load by themselves.
 */
final class Turns {

  private static final Logger log = LoggerFactory.getLogger(Turns.class);

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** How long an end waits for company, and how many go at once without waiting. */
  private static final Duration LINGER = Duration.ofMillis(2);

  private static final int ENOUGH = 100;
  private static final int LARGEST = 2_000;

  /** The first wait after nothing was found; doubles up to what the store says. */
  private static final long FIRST_LOOK_MILLIS = 50;

  private final WorkerContext context;
  private final EngineThreads threads;
  private final WorkerSettings settings;
  private final JobHandlers handlers;
  private final JobSlots slots;
  private final JobTelemetry telemetry;
  private final Prefetch prefetch;
  private final Retry retry;
  private final ConcurrentLinkedQueue<End> ends = new ConcurrentLinkedQueue<>();
  private final AtomicInteger endsWaiting = new AtomicInteger();
  private final AtomicBoolean told = new AtomicBoolean();
  private boolean open;
  private volatile boolean inFlight; // written on the loop
  private boolean mayHaveJobs;
  private boolean wokenMeanwhile;
  private boolean lingering;
  private int setAside; // ends that the store refused in company and that will be sent alone
  private long turns;
  private long lookMillis = FIRST_LOOK_MILLIS;
  private EngineThreads.Cancellable nextLook = () -> {};

  /** A run that ended. */
  private record End(JobFinish finish, @Nullable StopCause cause) {}

  Turns(
      WorkerContext context,
      WorkerSettings settings,
      JobHandlers handlers,
      JobSlots slots,
      JobTelemetry telemetry) {
    this.context = context;
    this.threads = context.threads();
    this.settings = settings;
    this.handlers = handlers;
    this.slots = slots;
    this.telemetry = telemetry;
    this.prefetch = new Prefetch(settings.concurrency(), context.time().nanos());
    this.retry = new Retry(context.replica().hashCode());
  }

  /** Takes an end, on any thread; {@link #tell} follows. */
  void add(JobFinish finish, @Nullable StopCause cause) {
    ends.add(new End(finish, cause));
    endsWaiting.incrementAndGet();
  }

  /** There is an end, and a place for another job. On any thread. */
  void tell() {
    // While an exchange is under way, its answer will see it; or else this sees that it came. To
    // wake the loop for each end costs more than most handlers do.
    if (!inFlight && told.compareAndSet(false, true)) {
      threads.execute(
          () -> {
            told.set(false);
            goOn();
          });
    }
  }

  /** Begins to ask for jobs. */
  void open() {
    open = true;
    mayHaveJobs = true;
    goOn();
  }

  /** Asks for no more; ends are still reported. */
  void close() {
    open = false;
    nextLook.cancel();
    goOn();
  }

  /** There may be jobs in these queues; empty for any. */
  void wake(Set<String> queues) {
    boolean ours =
        queues.isEmpty()
            || settings.queues().isEmpty()
            || queues.stream().anyMatch(settings.queues()::contains);
    if (ours) {
      mayHaveJobs = true;
      wokenMeanwhile = true;
      goOn();
    }
  }

  /** Jobs were taken too early. */
  void slowDown() {
    prefetch.reset();
  }

  boolean isQuiet() {
    return !inFlight && endsWaiting.get() == 0 && setAside == 0;
  }

  private void goOn() {
    if (inFlight) {
      return;
    }
    int waiting = endsWaiting.get();
    int room = room();
    if ((mayHaveJobs && room > 0) || waiting >= ENOUGH || (waiting > 0 && !open)) {
      send(room);
    } else if (waiting > 0 && !lingering) {
      lingering = true;
      threads.schedule(LINGER, this::lingered);
    }
  }

  private void lingered() {
    if (lingering && !inFlight && endsWaiting.get() > 0) {
      // An end may make room under a limit, or make a job due: so it is asked for jobs as well.
      send(room());
    }
    lingering = false;
  }

  private int room() {
    return open && !handlers.isEmpty() ? prefetch.room(slots.inHand(), context.time().nanos()) : 0;
  }

  private void send(int room) {
    lingering = false;
    List<End> batch = new ArrayList<>(Math.min(LARGEST, endsWaiting.get()));
    for (End end = ends.poll(); end != null; end = batch.size() < LARGEST ? ends.poll() : null) {
      batch.add(end);
    }
    endsWaiting.addAndGet(-batch.size());
    if (room > 0) {
      wokenMeanwhile = false;
      nextLook.cancel();
    }
    send(batch, turn(batch, room));
  }

  private JobTurn turn(List<End> batch, int room) {
    List<JobFinish> finishes = batch.stream().map(End::finish).toList();
    return new JobTurn(
        context.replica(), ++turns, finishes, room, handlers.kinds(), settings.queues());
  }

  private void send(List<End> batch, JobTurn turn) {
    inFlight = true;
    if (context.store().isImmediate()) {
      Result<JobTurnReply> result = immediate(turn);
      threads.execute(() -> answered(batch, turn, result)); // not deeper into the stack
      return;
    }
    threads.call(
        "turn of jobs",
        CALL_TIMEOUT,
        () -> context.store().turn(turn),
        result -> answered(batch, turn, result));
  }

  private Result<JobTurnReply> immediate(JobTurn turn) {
    try {
      return Result.of(context.store().turn(turn));
    } catch (RuntimeException e) {
      return Result.failed(e);
    }
  }

  private void answered(List<End> batch, JobTurn turn, Result<JobTurnReply> result) {
    if (!result.isValue()) {
      unanswered(batch, turn, result.failure());
      return;
    }
    if (retry.isFailing()) {
      log.info("turn of jobs was answered after {} failures", retry.failures());
      retry.succeeded();
    }
    inFlight = false;
    JobTurnReply reply = result.value();
    for (int i = 0; i < batch.size(); i++) {
      End end = batch.get(i);
      telemetry.ended(end.finish(), reply.finished().get(i), end.cause());
    }
    prefetch.ended(batch.size(), context.time().nanos());
    take(turn, reply);
    goOn();
  }

  private void take(JobTurn turn, JobTurnReply reply) {
    List<ClaimedJob> jobs = reply.jobs();
    if (!jobs.isEmpty()) {
      lookMillis = FIRST_LOOK_MILLIS;
      slots.add(jobs);
      if (!open) {
        slots.giveBack(Duration.ZERO);
      }
    }
    if (turn.most() > 0) {
      mayHaveJobs = reply.more() || wokenMeanwhile;
      wokenMeanwhile = false;
      if (!mayHaveJobs && open) {
        lookLater(reply);
      }
    }
  }

  /** Nobody may tell of new jobs, and time makes jobs due: so it is looked again. */
  private void lookLater(JobTurnReply reply) {
    long longest = context.store().pollInterval().toMillis();
    lookMillis = Math.min(longest, reply.jobs().isEmpty() ? 2 * lookMillis : FIRST_LOOK_MILLIS);
    long spread = Math.max(1, lookMillis / 5);
    // Replicas that began together do not look together.
    long less = Math.floorMod(31L * context.replica().hashCode() + 17L * turns, spread);
    Duration wait = Duration.ofMillis(lookMillis - less);
    Duration due = reply.nextDue().orElse(wait);
    nextLook.cancel();
    nextLook =
        threads.schedule(
            due.compareTo(wait) < 0 ? due : wait,
            () -> {
              mayHaveJobs = true;
              goOn();
            });
  }

  private void unanswered(List<End> batch, JobTurn turn, Throwable failure) {
    Duration wait = retry.failed();
    if (failure instanceof StoreException || failure instanceof TimeoutException) {
      if (retry.failures() == 1) {
        log.warn("turn of jobs got no answer, trying again until there is one", failure);
      }
      threads.schedule(wait, () -> send(batch, turn));
      return;
    }
    log.error("turn of jobs was refused ends={} most={}", batch.size(), turn.most(), failure);
    inFlight = false;
    setAside += batch.size();
    threads.schedule(wait, () -> refused(batch, failure));
  }

  /** The store did not like it: each end goes alone, so that one cannot hold up the others. */
  private void refused(List<End> batch, Throwable failure) {
    mayHaveJobs = true;
    if (batch.size() == 1) {
      setAside--;
      JobFinish finish = batch.get(0).finish();
      if (!(finish.end() instanceof JobFinish.Died)) {
        JobFinish.End end = new JobFinish.Died("its end could not be recorded: " + failure);
        add(new JobFinish(finish.job(), end, finish.startedAt(), finish.took()), null);
      } else {
        log.error(
            "the end of a job cannot be recorded, it stays RUNNING job={}", finish.job().id());
      }
      goOn(); // with what came meanwhile
      return;
    }
    alone(batch, 0);
  }

  private void alone(List<End> batch, int index) {
    if (index == batch.size()) {
      goOn();
      return;
    }
    if (inFlight) {
      threads.schedule(LINGER, () -> alone(batch, index));
      return;
    }
    List<End> one = List.of(batch.get(index));
    setAside--;
    send(one, turn(one, 0));
    threads.schedule(LINGER, () -> alone(batch, index + 1));
  }
}
