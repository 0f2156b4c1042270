package dev.monotick.server.remote;

import dev.monotick.job.JobContext;
import dev.monotick.job.JobOutcome;
import java.time.Duration;
import java.util.Optional;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a job that waits for work elsewhere does each time it runs: it ends with the work, sleeps
 * on, or finds that there is none and begins it. Sleeping costs no attempt and no thread.
 */
@Component
public class RemoteWait {

  /** So that the end of its time is over when it wakes, however clocks round. */
  private static final Duration MARGIN = Duration.ofMillis(500);

  private final RemoteWorks works;
  private final JsonMapper json;

  RemoteWait(RemoteWorks works, JsonMapper json) {
    this.works = works;
    this.json = json;
  }

  /** Failed elsewhere; by the job's rules it may be tried again. */
  public static final class RemoteFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    RemoteFailedException(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Returns what to make of work that was begun; empty if none was, or what was is done with.
   *
   * @throws RemoteFailedException if it failed
   */
  public Optional<JobOutcome> outcome(JobContext<?> job) throws RemoteFailedException {
    Optional<RemoteWork> found = works.latest(job.id());
    if (found.isPresent() && isOverdue(found.get())) {
      works.expire(found.get().id());
      found = works.latest(job.id());
    }
    return found.isEmpty() ? Optional.empty() : outcome(found.get());
  }

  private static boolean isOverdue(RemoteWork work) {
    return work.end().isEmpty()
        && work.accepted()
        && (work.left().isNegative() || work.left().isZero());
  }

  private Optional<JobOutcome> outcome(RemoteWork work) throws RemoteFailedException {
    if (work.end().isEmpty()) {
      // One that was not accepted was being called when a replica died: call again.
      return work.accepted()
          ? Optional.of(JobOutcome.snooze(work.left().plus(MARGIN)))
          : Optional.empty();
    }
    RemoteWork.WorkResult end = work.end().get();
    if (work.state() == RemoteWork.State.DONE) {
      works.take(work.id()); // a run that dies right now finds it again: done stays done
      return Optional.of(
          end.result()
              .map(text -> JobOutcome.done(json.readTree(text)))
              .orElseGet(JobOutcome::done));
    }
    if (work.state() != RemoteWork.State.FAILED || !works.take(work.id())) {
      return Optional.empty();
    }
    String error = end.error().orElse("failed");
    if (end.permanent()) {
      return Optional.of(JobOutcome.fail(error));
    }
    throw new RemoteFailedException(error);
  }
}
