package dev.monotick.memory;

import static java.util.Objects.requireNonNull;

import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobRules;
import dev.monotick.job.JobState;
import dev.monotick.job.Lane;
import dev.monotick.job.UniqueKey;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.replica.MemberId;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job, as an {@link InMemoryJobStore} has it. Guarded by the store's lock. */
final class MemoryJob {

  private static final int MOST_ENDS = 2_000;
  private static final int MOST_LINES = 1_000;

  /**
   * How a run ended.
   *
   * @param replica who had it, null if nobody had
   */
  record End(Job.Attempt attempt, @Nullable MemberId replica) {}

  /** A run that has not ended. */
  static final class Claim {

    final MemberId replica;
    final String name;
    final Instant at;
    final List<MemoryLimits.Use> holds = new ArrayList<>();
    @Nullable Instant startedAt;
    @Nullable Double progress;
    @Nullable String doing;

    Claim(MemberId replica, String name, Instant at) {
      this.replica = replica;
      this.name = name;
      this.at = at;
    }
  }

  final JobId id;
  final JobDraft draft;
  final LaneQueue line;
  final Instant createdAt;
  final Optional<JobId> parent;

  /** Set when the row is added to the table; moved by {@link JobTable#move} alone. */
  JobState state = JobState.SCHEDULED;

  /** Claims so far, and ends of jobs that nobody had. */
  int runs;

  /** Attempts that were used up since the job was added or requeued. */
  int attempts;

  /** How many replicas were lost with it since then; after the first, only while it ran. */
  int crashes;

  /** Since when it is READY, or was when it was claimed. */
  Instant readyAt;

  /** Before that moment it may not run; null for at once. */
  @Nullable Instant dueAt;

  /** When nobody's approval comes any more; null unless it awaits one. */
  @Nullable Instant approvalExpiresAt;

  /** Jobs before it that have not ended. */
  int pending;

  /** Whether it is cancelled if one of them does not succeed. */
  boolean needsSuccess;

  /** The job that waits for this one; null if none does any more. */
  @Nullable MemoryJob next;

  /** What keeps it out of its line; null unless it is READY and its key is full. */
  MemoryLimits.@Nullable UseKey blockedBy;

  /** Who has it; null unless RUNNING. */
  @Nullable Claim claim;

  byte @Nullable [] result;

  private final Deque<End> ends = new ArrayDeque<>();
  private final Deque<Job.LogLine> lines = new ArrayDeque<>();

  MemoryJob(JobId id, JobDraft draft, LaneQueue line, Instant createdAt, Optional<JobId> parent) {
    this.id = id;
    this.draft = draft;
    this.line = line;
    this.createdAt = createdAt;
    this.parent = parent;
    this.readyAt = createdAt;
  }

  Lane lane() {
    return draft.lane();
  }

  JobRules rules() {
    return draft.rules();
  }

  /** Returns when it expires unless it runs before, null for never. */
  @Nullable Instant expiresAt() {
    Instant deadline = rules().deadline().orElse(null);
    if (approvalExpiresAt == null || (deadline != null && deadline.isBefore(approvalExpiresAt))) {
      return deadline;
    }
    return approvalExpiresAt;
  }

  JobRun run() {
    return new JobRun(id, runs, attempts + 1);
  }

  /** Returns whether the replica had that run, and no other replica was given the job for it. */
  boolean endedByItself(MemberId replica, JobRun run) {
    return endOf(run.number())
        .filter(end -> replica.equals(end.replica()))
        .map(end -> end.attempt().outcome())
        .filter(outcome -> outcome != Job.Attempt.Outcome.RESCUED)
        .filter(outcome -> outcome != Job.Attempt.Outcome.CRASHED)
        .isPresent();
  }

  boolean isRunBy(MemberId replica, JobRun run) {
    return claim != null && claim.replica.equals(replica) && run.number() == runs;
  }

  ClaimedJob claimed() {
    return new ClaimedJob(
        requireNonNull(claim).replica,
        run(),
        lane(),
        draft.version(),
        draft.payload(),
        rules(),
        draft.limitKey(),
        readyAt,
        draft.headers(),
        crashes);
  }

  void ended(Job.Attempt attempt, @Nullable MemberId replica) {
    ends.addLast(new End(attempt, replica));
    if (ends.size() > MOST_ENDS) {
      ends.removeFirst();
    }
  }

  Optional<End> endOf(int run) {
    return ends.stream().filter(end -> end.attempt().run() == run).findFirst();
  }

  void addLines(List<Job.LogLine> more) {
    for (Job.LogLine line : more) {
      lines.addLast(line);
      if (lines.size() > MOST_LINES) {
        lines.removeFirst();
      }
    }
  }

  List<Job.LogLine> lines(int limit) {
    return lines.stream().limit(limit).toList();
  }

  /** Returns what is known of it; without payload, attempts and result if it is one of many. */
  Job image(boolean whole) {
    Optional<Job.Running> running =
        Optional.ofNullable(claim)
            .map(
                has ->
                    new Job.Running(
                        runs,
                        has.name,
                        has.at,
                        Optional.ofNullable(has.startedAt),
                        Optional.ofNullable(has.progress),
                        Optional.ofNullable(has.doing)));
    boolean waits =
        state == JobState.SCHEDULED
            || state == JobState.RETRYING
            || state == JobState.AWAITING_APPROVAL;
    return new Job(
        id,
        lane(),
        draft.version(),
        state,
        whole ? draft.payload() : new byte[0],
        rules(),
        createdAt,
        waits ? Optional.ofNullable(dueAt) : Optional.empty(),
        draft.unique().map(UniqueKey::key),
        draft.limitKey(),
        parent,
        draft.headers(),
        running,
        whole ? ends.stream().map(End::attempt).toList() : List.of(),
        whole ? Optional.ofNullable(result) : Optional.empty());
  }
}
