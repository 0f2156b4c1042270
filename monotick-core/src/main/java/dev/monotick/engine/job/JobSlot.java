package dev.monotick.engine.job;

import dev.monotick.engine.client.JobTexts;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.error.SchedulerException;
import dev.monotick.internal.StoreFailures;
import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one job after the other on a thread of its own, until there are none. A handler that ignores
 * its interrupt for too long is left alone with its thread, and the slot is used up: it runs no
 * other job, and another slot takes its place.
 */
final class JobSlot implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(JobSlot.class);

  /**
   * A job of a newer version is for replicas that know it. Soon at first: if there are some, one of
   * them has it after a try or two. If there are none yet, it is asked for seldom.
   */
  private static final Duration FOR_NEWER_REPLICAS = Duration.ofMillis(500);

  private static final int MOST_DOUBLINGS = 5; // 16 s

  private final JobSlots slots;
  // Guarded by this.
  private EngineThreads.@Nullable Body body;
  private @Nullable RunningJob<?> current;
  private boolean isAbandoned; // no longer one of the slots
  private boolean reported; // the end of what runs was reported without it

  JobSlot(JobSlots slots) {
    this.slots = slots;
  }

  synchronized void startedOn(EngineThreads.Body handed) {
    body = handed;
    if (current != null && current.isCancelled()) {
      handed.interrupt();
    }
    if (isAbandoned) {
      handed.abandon();
    }
  }

  /** Returns what runs now, null if nothing does. */
  synchronized @Nullable RunningJob<?> current() {
    return current;
  }

  /** Asks the handler to stop, if it still runs this job. */
  synchronized void stop(RunningJob<?> job, JobCancelReason cause) {
    if (current == job && !job.isCancelled()) {
      job.stop(cause);
      if (body != null) {
        body.interrupt();
      }
    }
  }

  /**
   * Leaves the handler alone with its thread, if it still runs this job.
   *
   * @param awaited whether its end is told when it comes
   */
  synchronized boolean abandon(RunningJob<?> job, boolean awaited) {
    if (current != job) {
      return false;
    }
    isAbandoned = true;
    if (!awaited) {
      silence(job);
    }
    if (body != null) {
      body.abandon();
    }
    return true;
  }

  /** Tells no more how this job ends, if it still runs. */
  synchronized boolean silence(RunningJob<?> job) {
    if (current != job) {
      return false;
    }
    reported = true;
    current = null;
    return true;
  }

  @Override
  public void run() {
    for (ClaimedJob job = slots.next(); job != null; job = slots.next()) {
      if (!execute(job)) {
        slots.returned(this);
        return;
      }
    }
    slots.ended(this);
  }

  /** Returns false if it was left alone. */
  private boolean execute(ClaimedJob job) {
    JobHandlers.Registered<?> registered = slots.handlers().of(job.lane().kind());
    if (registered == null || !slots.mayRun(job)) {
      return notBegun(job, new Completion.HandedBack());
    }
    if (job.version() > registered.kind().version()) {
      int doublings = Math.min(job.run().number() - 1, MOST_DOUBLINGS);
      return notBegun(
          job, new Completion.Snoozed(FOR_NEWER_REPLICAS.multipliedBy(1L << doublings)));
    }
    return execute(registered, job);
  }

  private <P> boolean execute(JobHandlers.Registered<P> registered, ClaimedJob job) {
    JobKind<P> kind = registered.kind();
    byte[] bytes;
    try {
      bytes = payload(job);
    } catch (RuntimeException e) { // nothing has begun, and the store may be back soon
      log.warn(
          "job={} is given back: its payload could not be read cause={}",
          job.id(),
          StoreFailures.describe(e),
          StoreFailures.trace(e));
      return notBegun(job, new Completion.HandedBack());
    }
    P payload;
    try {
      payload = slots.payloads().decode(bytes, kind.payloadType());
    } catch (Throwable failure) { // whatever a codec throws, the slot goes on
      FailedJobs.log(slots.context(), job, failure);
      return notBegun(
          job, new Completion.Died("the payload cannot be read\n" + JobTexts.of(failure)));
    }
    // Before it counts as running: the store's time is not the handler's.
    Completion.End refusal = slots.starts().refusal(job);
    if (refusal != null) {
      return notBegun(job, refusal);
    }
    RunningJob<P> running = new RunningJob<>(slots.context(), job, payload);
    synchronized (this) {
      current = running;
    }
    // Again, now that it can be stopped: whoever stopped all before did not see it.
    if (!slots.mayRun(job)) {
      return ended(new Completion(job, new Completion.HandedBack(), null, Duration.ZERO), null);
    }
    Completion.End end;
    try {
      JobOutcome outcome = registered.handler().run(running);
      end = slots.completions().returned(running, outcome);
      if (end instanceof Completion.Retried retried) {
        FailedJobs.log(slots.context(), job, retried.error());
      } else if (end instanceof Completion.Died died) {
        FailedJobs.log(slots.context(), job, died.error());
      }
    } catch (Throwable failure) { // whatever a handler throws, the slot goes on
      end = slots.completions().threw(kind, running, failure);
      if (end instanceof Completion.Retried || end instanceof Completion.Died) {
        FailedJobs.log(slots.context(), job, failure);
      }
    }
    return ended(new Completion(job, end, running.startedAt(), running.ran()), running);
  }

  private byte[] payload(ClaimedJob job) {
    byte[] payload = job.payload();
    if (payload != null) {
      return payload;
    }
    return slots
        .context()
        .store()
        .find(job.id())
        .map(Job::payload)
        .orElseThrow(() -> new SchedulerException("there is no job " + job.id() + " any more"));
  }

  /** Tells the end of what did not begin. */
  private boolean notBegun(ClaimedJob job, Completion.End end) {
    slots.finished(new Completion(job, end, null, Duration.ZERO), null);
    return true;
  }

  /** Tells the end of what ran; returns false if it was left alone. */
  private boolean ended(Completion finish, @Nullable RunningJob<?> job) {
    boolean isSlot;
    synchronized (this) {
      if (reported) {
        return false;
      }
      isSlot = !isAbandoned;
      current = null;
      Thread.interrupted(); // meant for this job, not for the next one
    }
    if (isSlot) {
      slots.finished(finish, job);
    } else {
      slots.finishedLate(finish, job);
    }
    return isSlot;
  }

  @Override
  public String toString() {
    RunningJob<?> job = current();
    JobId id = job == null ? null : job.id();
    return "slot[" + id + "]";
  }
}
