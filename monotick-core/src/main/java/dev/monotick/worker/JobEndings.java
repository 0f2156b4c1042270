package dev.monotick.worker;

import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.job.RetryPolicy;
import dev.monotick.job.store.ClaimedJob;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobFinish.Died;
import dev.monotick.job.store.JobFinish.Discarded;
import dev.monotick.job.store.JobFinish.HandedBack;
import dev.monotick.job.store.JobFinish.Lost;
import dev.monotick.job.store.JobFinish.Retried;
import dev.monotick.job.store.JobFinish.Snoozed;
import dev.monotick.job.store.JobFinish.Succeeded;
import dev.monotick.job.store.JobRun;
import dev.monotick.task.Effect;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a run's end is, given what its handler returned or threw. */
final class JobEndings {

  private static final Logger log = LoggerFactory.getLogger(JobEndings.class);

  private static final int LONGEST_REASON = 8_000;
  private static final int LONGEST_FAILURE = 1_000;

  private final Payloads payloads;

  JobEndings(Payloads payloads) {
    this.payloads = payloads;
  }

  JobFinish.End returned(RunningJob<?> job, @Nullable JobOutcome outcome) {
    if (job.isCommitted()) {
      return new Succeeded(null);
    }
    if (outcome == null) {
      return new Died("the handler returned null; return JobOutcome.done() if all went well");
    }
    if (outcome instanceof JobOutcome.Done done) {
      return succeeded(job, done);
    } else if (outcome instanceof JobOutcome.Snoozed snoozed) {
      return new Snoozed(snoozed.delay());
    } else if (outcome instanceof JobOutcome.RetryAfter retry) {
      return new Retried(Texts.shortened(retry.reason(), LONGEST_REASON), retry.delay());
    } else if (outcome instanceof JobOutcome.Discarded discarded) {
      return new Discarded(Texts.shortened(discarded.reason(), LONGEST_REASON));
    } else if (outcome instanceof JobOutcome.Failed failed) {
      return new Died(Texts.shortened(failed.reason(), LONGEST_REASON));
    }
    throw new IllegalStateException("unknown outcome " + outcome);
  }

  /** A result that cannot be kept is dropped: the job is done all the same, and must not rerun. */
  private JobFinish.End succeeded(RunningJob<?> job, JobOutcome.Done done) {
    if (done.result().isEmpty()) {
      return new Succeeded(null);
    }
    try {
      return new Succeeded(payloads.encode("result", done.result().get()));
    } catch (Throwable e) { // whatever a codec throws
      String why = "the job is done, but its result cannot be kept: " + Texts.line(e);
      log.warn("{} job={} lane={}", why, job.id(), job.lane());
      job.log(why);
      return new Succeeded(null);
    }
  }

  JobFinish.End threw(JobKind<?> kind, RunningJob<?> job, Throwable failure) {
    if (job.isCommitted()) {
      return new Succeeded(null);
    }
    StopCause cause = job.stopCause();
    if (cause != null && cause.givesBack()) {
      return job.job().rules().effect() == Effect.AT_MOST_ONCE
          ? new Lost("stopped in the middle, because " + cause.text)
          : new HandedBack();
    }
    if (cause == StopCause.TIMEOUT) {
      return retried(
          kind,
          job.job(),
          "timed out after " + job.job().rules().timeout() + "\n" + Texts.of(failure));
    }
    return isPermanent(kind, failure)
        ? new Died(Texts.of(failure))
        : retried(kind, job.job(), Texts.of(failure));
  }

  private static boolean isPermanent(JobKind<?> kind, Throwable failure) {
    try {
      return kind.retry().isPermanent(failure);
    } catch (Throwable e) { // the failure cannot even say what caused it
      return false;
    }
  }

  /** It is not tried again beside itself: that is for people to decide. */
  JobFinish.End ignoredInterrupt(RunningJob<?> job, String replica) {
    if (job.isCommitted()) {
      return new Succeeded(null);
    }
    StopCause cause = job.stopCause();
    String why =
        cause != null && cause.isOver()
            ? cause.text
            : "timed out after " + job.job().rules().timeout();
    return new Died(
        why + ", and its handler ignored the interrupt; its thread may still run on " + replica);
  }

  /** The delay is somebody else's arithmetic: what it gives is not trusted. */
  private static JobFinish.End retried(JobKind<?> kind, ClaimedJob job, String error) {
    JobRun run = job.run();
    int attempt = run.attempt();
    // Jobs differ in their jitter, and a run repeats its own.
    double random =
        Math.floorMod((run.id().value() * 31 + run.number()) * 0x9E3779B9L, 1_000) / 999.0;
    String given;
    try {
      Duration delay = kind.retry().delays().after(attempt, random);
      if (delay != null && !delay.isNegative() && delay.compareTo(RetryPolicy.LONGEST) <= 0) {
        return new Retried(error, delay);
      }
      if (delay != null && !delay.isNegative()) {
        return new Retried(told(error, delay.toString(), RetryPolicy.LONGEST), RetryPolicy.LONGEST);
      }
      given = String.valueOf(delay);
    } catch (Throwable failure) { // whatever it throws, the slot goes on
      given = "no delay but failed: " + Texts.shortened(Texts.of(failure), LONGEST_FAILURE);
    }
    Duration usual = RetryPolicy.ofDefaults().delays().after(attempt, 0.5);
    return new Retried(told(error, given, usual), usual);
  }

  private static String told(String error, String given, Duration instead) {
    return error
        + "\nthe next attempt comes after "
        + instead
        + ": delays of a retry policy must be between PT0S and "
        + RetryPolicy.LONGEST
        + ", but the kind's gave "
        + given;
  }
}
