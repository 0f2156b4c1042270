package dev.monotick.memory;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobStore;
import dev.monotick.spi.job.JobTransition;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.work.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Ends runs and jobs, records how, and lets go on what waited for that. Guarded by the store's
 * lock.
 */
final class MemoryCompletions {

  private final JobTable table;

  MemoryCompletions(JobTable table) {
    this.table = table;
  }

  /** Ends a run as its replica says; false if it is not the replica's own. */
  boolean finish(MemberId replica, Completion finish, Instant now) {
    Optional<MemoryJob> found = table.find(finish.job().id());
    if (found.isEmpty()) {
      return false;
    }
    MemoryJob row = found.get();
    if (!row.isRunBy(replica, finish.job().run())) {
      return row.endOf(finish.job().run().number())
          .filter(end -> replica.equals(end.replica()))
          .filter(end -> said(finish.result(), end.attempt().outcome()))
          .isPresent();
    }
    end(row, finish, now);
    return true;
  }

  /** Returns who decided and why, as it is recorded. */
  static String detail(String by, String reason) {
    return by.isEmpty() || reason.isEmpty() ? by + reason : by + ": " + reason;
  }

  /** Calls off a job that is not over, and all that needs it to succeed. */
  void cancel(MemoryJob row, String detail, Instant now) {
    record(row, Outcome.CANCELLED, detail, now);
    table.move(row, JobTransition.CANCEL, JobState.CANCELLED, now);
    goOn(row, now);
  }

  void reject(MemoryJob row, String detail, Instant now) {
    record(row, Outcome.REJECTED, detail, now);
    table.move(row, JobTransition.REJECT, JobState.REJECTED, now);
    goOn(row, now);
  }

  /** Expires jobs; all of them have before the end of one of them calls off those after it. */
  void expire(List<MemoryJob> rows, Instant now) {
    rows.forEach(row -> expire(row, now));
    rows.forEach(row -> goOn(row, now));
  }

  private void expire(MemoryJob row, Instant now) {
    boolean undecided =
        row.state == JobState.AWAITING_APPROVAL
            && row.rules().deadline().filter(deadline -> !deadline.isAfter(now)).isEmpty();
    record(
        row,
        Outcome.EXPIRED,
        undecided ? "not approved in time" : "its deadline passed before it ran",
        now);
    table.move(row, JobTransition.EXPIRE, JobState.EXPIRED, now);
  }

  /**
   * Ends a run whose replica is gone.
   *
   * @param crashed whether its process may have died; if it has joined again, the run did not kill
   *     it
   */
  void rescue(MemoryJob row, boolean crashed, Instant now) {
    MemoryJob.Claim claim = requireNonNull(row.claim);
    boolean began = claim.startedAt != null;
    boolean isOnce = row.rules().effect() == Effect.AT_MOST_ONCE; // its start is always recorded
    boolean mayHaveBegun = began || (row.crashes == 0 && !isOnce);
    boolean counts = crashed && mayHaveBegun;
    String gone = "replica " + claim.name + (crashed ? " is gone" : " lost its membership");
    String detail = began ? ": its handler had begun" : ": its handler had not begun";
    if (!began && mayHaveBegun) {
      detail = ": it is unknown whether its handler had begun";
    }
    if (isOnce && began) {
      record(row, Outcome.LOST, gone + detail, now);
      table.move(row, JobTransition.LOSE, JobState.UNKNOWN, now);
      goOn(row, now);
    } else if (counts && row.crashes + 1 >= JobStore.MOST_CRASHES) {
      record(row, Outcome.CRASHED, gone + ", and " + row.crashes + " before it" + detail, now);
      table.move(row, JobTransition.CRASH_TOO_OFTEN, JobState.DEAD, now);
      goOn(row, now);
    } else {
      row.crashes += counts ? 1 : 0;
      record(row, Outcome.RESCUED, gone + detail, now);
      table.move(row, JobTransition.RESCUE, JobState.READY, now);
    }
  }

  /** Has a job run again that ended otherwise than well. */
  void requeue(MemoryJob row, String by, Instant now) {
    row.attempts = 0;
    row.crashes = 0;
    row.needsSuccess = false;
    record(row, Outcome.REQUEUED, by, now);
    boolean gated = row.rules().approval().isPresent();
    table.move(
        row, JobTransition.REQUEUE, gated ? JobState.AWAITING_APPROVAL : JobState.READY, now);
    table.keys.take(row, now);
  }

  private void end(MemoryJob row, Completion finish, Instant now) {
    if (finish.result() instanceof Completion.Succeeded succeeded) {
      record(row, Outcome.SUCCEEDED, null, finish, now);
      row.result = succeeded.result();
      table.move(row, JobTransition.SUCCEED, JobState.SUCCEEDED, now);
    } else if (finish.result() instanceof Completion.Retried retried) {
      record(row, Outcome.RETRIED, retried.error(), finish, now);
      row.attempts++;
      row.line.runFailed();
      Instant dueAt = now.plus(retried.delay());
      table.move(row, JobTransition.RETRY, JobState.RETRYING, now, dueAt);
    } else if (finish.result() instanceof Completion.Died died) {
      record(row, Outcome.DIED, died.error(), finish, now);
      row.attempts++;
      row.line.runFailed();
      table.move(row, JobTransition.DIE, JobState.DEAD, now);
    } else if (finish.result() instanceof Completion.Snoozed snoozed) {
      record(row, Outcome.SNOOZED, null, finish, now);
      Instant dueAt = now.plus(snoozed.delay());
      table.move(row, JobTransition.SNOOZE, JobState.SCHEDULED, now, dueAt);
    } else if (finish.result() instanceof Completion.Discarded discarded) {
      record(row, Outcome.DISCARDED, discarded.reason(), finish, now);
      table.move(row, JobTransition.DISCARD, JobState.CANCELLED, now);
    } else if (finish.result() instanceof Completion.Lost lost) {
      record(row, Outcome.LOST, lost.reason(), finish, now);
      table.move(row, JobTransition.LOSE, JobState.UNKNOWN, now);
    } else {
      record(row, Outcome.HANDED_BACK, null, finish, now);
      table.move(row, JobTransition.HAND_BACK, JobState.READY, now);
    }
    if (row.state.isTerminal()) {
      goOn(row, now);
    }
  }

  /** Tells what waits for a job that it is over; in turn, not in depth: a chain may be long. */
  private void goOn(MemoryJob first, Instant now) {
    Deque<MemoryJob> over = new ArrayDeque<>();
    over.add(first);
    while (!over.isEmpty()) {
      MemoryJob row = over.remove();
      MemoryJob next = row.next;
      row.next = null;
      if (next == null || next.pending == 0) {
        continue; // nobody waits, or it was called off and requeued, and waits no more
      }
      if (next.needsSuccess && row.state != JobState.SUCCEEDED) {
        record(next, Outcome.CANCELLED, "job " + row.id + " before it did not succeed", now);
        table.move(next, JobTransition.CANCEL, JobState.CANCELLED, now);
        over.add(next);
      } else {
        next.pending--;
        table.becomeDueIfNothingIsBefore(next, now);
      }
    }
  }

  /** Records the end of a run that its replica does not know of, or of a job that nobody had. */
  private static void record(MemoryJob row, Outcome outcome, String detail, Instant now) {
    MemoryJob.Claim claim = row.claim;
    if (claim == null) {
      row.runs++;
    }
    Instant startedAt = claim == null ? null : claim.startedAt;
    Duration took = startedAt == null ? Duration.ZERO : Duration.between(startedAt, now);
    record(row, outcome, detail, startedAt, took.isNegative() ? Duration.ZERO : took, now);
  }

  private static void record(
      MemoryJob row, Outcome outcome, @Nullable String detail, Completion finish, Instant now) {
    record(row, outcome, detail, finish.startedAt(), finish.took(), now);
  }

  private static void record(
      MemoryJob row,
      Outcome outcome,
      @Nullable String detail,
      @Nullable Instant startedAt,
      Duration took,
      Instant now) {
    MemoryJob.Claim claim = row.claim;
    row.ended(
        new Job.Attempt(
            row.runs,
            row.attempts + 1,
            outcome,
            Optional.ofNullable(claim).map(has -> has.name),
            Optional.ofNullable(startedAt),
            now,
            took,
            Optional.ofNullable(detail)),
        claim == null ? null : claim.replica);
  }

  /** Says whether a report and what was recorded are the same: then it was sent twice. */
  private static boolean said(Completion.End end, Outcome outcome) {
    if (end instanceof Completion.Succeeded) {
      return outcome == Outcome.SUCCEEDED;
    } else if (end instanceof Completion.Retried) {
      return outcome == Outcome.RETRIED;
    } else if (end instanceof Completion.Snoozed) {
      return outcome == Outcome.SNOOZED;
    } else if (end instanceof Completion.Died) {
      return outcome == Outcome.DIED;
    } else if (end instanceof Completion.Discarded) {
      return outcome == Outcome.DISCARDED;
    } else if (end instanceof Completion.Lost) {
      return outcome == Outcome.LOST;
    }
    return outcome == Outcome.HANDED_BACK;
  }
}
