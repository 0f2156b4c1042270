package dev.monotick.engine.job;

import dev.monotick.engine.client.JobTexts;
import dev.monotick.engine.client.Payloads;
import dev.monotick.job.JobKind;
import dev.monotick.job.JobOutcome;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.Completion.Died;
import dev.monotick.spi.job.Completion.Discarded;
import dev.monotick.spi.job.Completion.HandedBack;
import dev.monotick.spi.job.Completion.Lost;
import dev.monotick.spi.job.Completion.Retried;
import dev.monotick.spi.job.Completion.Snoozed;
import dev.monotick.spi.job.Completion.Succeeded;
import dev.monotick.spi.job.JobRun;
import dev.monotick.work.Effect;
import dev.monotick.work.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a run's end is, given what its handler returned or threw. */
final class Completions {

  private static final Logger log = LoggerFactory.getLogger(Completions.class);

  private static final int LONGEST_REASON = 8_000;
  private static final int LONGEST_FAILURE = 1_000;

  private final Payloads payloads;

  Completions(Payloads payloads) {
    this.payloads = payloads;
  }

  Completion.End returned(RunningJob<?> job, @Nullable JobOutcome outcome) {
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
      return new Retried(JobTexts.shortened(retry.reason(), LONGEST_REASON), retry.delay());
    } else if (outcome instanceof JobOutcome.Discarded discarded) {
      return new Discarded(JobTexts.shortened(discarded.reason(), LONGEST_REASON));
    } else if (outcome instanceof JobOutcome.Failed failed) {
      return new Died(JobTexts.shortened(failed.reason(), LONGEST_REASON));
    }
    throw new IllegalStateException("unknown outcome " + outcome);
  }

  /** A result that cannot be kept is dropped: the job is done all the same, and must not rerun. */
  private Completion.End succeeded(RunningJob<?> job, JobOutcome.Done done) {
    if (done.result().isEmpty()) {
      return new Succeeded(null);
    }
    try {
      return new Succeeded(payloads.encode("result", done.result().get()));
    } catch (Throwable e) { // whatever a codec throws
      String why = "the job is done, but its result cannot be kept: " + JobTexts.line(e);
      log.warn("{} job={} lane={}", why, job.id(), job.lane());
      job.log(why);
      return new Succeeded(null);
    }
  }

  Completion.End threw(JobKind<?> kind, RunningJob<?> job, Throwable failure) {
    if (job.isCommitted()) {
      return new Succeeded(null);
    }
    JobCancelReason cause = job.stopCause();
    if (cause != null && cause.givesBack()) {
      return job.job().rules().effect() == Effect.AT_MOST_ONCE
          ? new Lost("stopped in the middle, because " + cause.text)
          : new HandedBack();
    }
    if (cause == JobCancelReason.TIMEOUT) {
      return retried(
          kind,
          job.job(),
          "timed out after " + job.job().rules().timeout() + "\n" + JobTexts.of(failure));
    }
    return isPermanent(kind, failure)
        ? new Died(JobTexts.of(failure))
        : retried(kind, job.job(), JobTexts.of(failure));
  }

  private static boolean isPermanent(JobKind<?> kind, Throwable failure) {
    try {
      return kind.retry().isPermanent(failure);
    } catch (Throwable e) { // the failure cannot even say what caused it
      return false;
    }
  }

  /** It is not tried again beside itself: that is for people to decide. */
  Completion.End ignoredInterrupt(RunningJob<?> job, String replica) {
    if (job.isCommitted()) {
      return new Succeeded(null);
    }
    JobCancelReason cause = job.stopCause();
    String why =
        cause != null && cause.isOver()
            ? cause.text
            : "timed out after " + job.job().rules().timeout();
    return new Died(
        why + ", and its handler ignored the interrupt; its thread may still run on " + replica);
  }

  /** The delay is somebody else's arithmetic: what it gives is not trusted. */
  private static Completion.End retried(JobKind<?> kind, ClaimedJob job, String error) {
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
        return new Retried(
            shownError(error, delay.toString(), RetryPolicy.LONGEST), RetryPolicy.LONGEST);
      }
      given = String.valueOf(delay);
    } catch (Throwable failure) { // whatever it throws, the slot goes on
      given = "no delay but failed: " + JobTexts.shortened(JobTexts.of(failure), LONGEST_FAILURE);
    }
    Duration usual = RetryPolicy.ofDefaults().delays().after(attempt, 0.5);
    return new Retried(shownError(error, given, usual), usual);
  }

  private static String shownError(String error, String given, Duration instead) {
    return error
        + "\nthe next attempt comes after "
        + instead
        + ": delays of a retry policy must be between PT0S and "
        + RetryPolicy.LONGEST
        + ", but the kind's gave "
        + given;
  }
}
