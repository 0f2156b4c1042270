package dev.monotick.testkit;

import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.Job.Attempt.Outcome;
import dev.monotick.job.JobContext;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.spi.job.ClaimedJob;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.JobStore;
import dev.monotick.testkit.Machine.Life;
import dev.monotick.work.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of jobs, from what handlers do and from what crosses the wire: J1 none that was
 * acknowledged is lost, J2 at most one success, and nothing runs after it, J3 no more attempts than
 * allowed, and none given up for crashes, or unknown, unless it began, J4 what was cancelled stays
 * so, J5 no two active jobs of a unique key, J6 no limit is exceeded, J7 only the replica that has
 * a run ends it, and no job runs twice at a time, J8 no handler begins after the end of its job,
 * unless its process was frozen between the last check and the begin.
 */
final class JobChecks {

  private final Simulation simulation;
  private final Findings findings;
  private final Map<Long, Track> tracks = new TreeMap<>();
  private final List<Running> running = new ArrayList<>();

  /** What is known of a job. */
  private static final class Track {
    final JobId id;
    boolean acknowledged;
    boolean cancelled;
    boolean requeued;
    int newestRun;
    int starts;
    boolean startRecorded;
    long recordedStarts; // runs, as bits
    int succeededIn;
    long cancelledRuns; // as bits
    long accepted; // runs whose end was accepted, as bits
    @Nullable String key;

    Track(JobId id) {
      this.id = id;
    }

    boolean isAccepted(int run) {
      return (accepted & (1L << (run & 63))) != 0;
    }
  }

  /** A handler that runs. */
  record Running(Track track, int run, String limitedBy, Life process, int membership) {}

  JobChecks(Simulation simulation) {
    this.simulation = simulation;
    this.findings = simulation.findings();
  }

  // What the client does.

  void added(Enqueued reply, @Nullable String key) {
    Track track = track(reply.id());
    if (!reply.isNew()) {
      findings.see(Seen.SAME_KEY_REFUSED);
      findings.require(
          key != null && key.equals(track.key),
          "J5",
          () -> "job " + reply.id() + " was given for the key " + key + " of another");
      return;
    }
    findings.see(Seen.JOBS_ADDED);
    track.key = key;
    requireKeyIsFree(track);
  }

  private void requireKeyIsFree(Track track) {
    String key = track.key;
    if (key == null) {
      return;
    }
    for (Track other : tracks.values()) {
      if (other != track && key.equals(other.key)) {
        findings.require(
            find(other).map(job -> job.state().isTerminal()).orElse(true),
            "J5",
            () -> "jobs " + other.id + " and " + track.id + " are both active with key " + key);
      }
    }
  }

  void acknowledged(JobId id) {
    track(id).acknowledged = true;
  }

  /** The store said that a job is called off. */
  void cancelled(JobId id) {
    findings.see(Seen.JOBS_CANCELLED);
    Track track = track(id);
    track.cancelled = true;
    track.cancelledRuns |= 1L << (track.newestRun & 63);
    findings.require(
        track.succeededIn == 0, "J4", () -> "job " + id + " was cancelled after its success");
  }

  void requeued(JobId id) {
    findings.see(Seen.JOBS_REQUEUED);
    Track track = track(id);
    findings.require(
        track.succeededIn == 0, "J2", () -> "job " + id + " was requeued after its success");
    findings.require(
        track.cancelled
            || track.newestRun == 0
            || track.isAccepted(track.newestRun)
            || !isHeld(track),
        "J7",
        () -> "job " + id + " was requeued while a replica had it");
    track.cancelled = false;
    track.requeued = true;
    requireKeyIsFree(track);
  }

  private boolean isHeld(Track track) {
    for (Running one : running) {
      if (one.track() == track && one.run() == track.newestRun && isCounted(one)) {
        return simulation.ratesAreWithinBound();
      }
    }
    return false;
  }

  List<JobId> known() {
    return tracks.values().stream().map(track -> track.id).toList();
  }

  // What crosses the wire.

  void completed(List<Completion> completions, List<Boolean> recorded) {
    for (int i = 0; i < completions.size(); i++) {
      if (recorded.get(i)) {
        ended(completions.get(i));
      } else {
        findings.see(Seen.JOB_ENDS_REFUSED);
      }
    }
  }

  void claimed(List<ClaimedJob> jobs) {
    jobs.forEach(this::claimed);
  }

  void startsRecorded(Set<JobRun> runs) {
    for (JobRun run : runs) {
      Track track = track(run.id());
      track.startRecorded = true;
      track.recordedStarts |= 1L << (run.number() & 63);
    }
  }

  int rescued(int runs) {
    if (runs > 0) {
      findings.see(Seen.JOBS_RESCUED);
    }
    return runs;
  }

  private void ended(Completion finish) {
    Track track = track(finish.job().id());
    int run = finish.job().run().number();
    findings.note(track.id.value(), run);
    // Whoever rescued it recorded the same, so its own word counts as a repetition.
    boolean repeated = track.isAccepted(run) || finish.result() instanceof Completion.Lost;
    findings.require(
        repeated || run == track.newestRun,
        "J7",
        () -> "the end of run " + run + " of job " + track.id + " counted, but there was a newer");
    findings.require(
        repeated || !track.cancelled,
        "J4",
        () -> "an end of job " + track.id + " counted after it was cancelled: " + finish.result());
    track.accepted |= 1L << (run & 63);
    if (repeated) {
      return;
    }
    if (finish.result() instanceof Completion.Succeeded) {
      findings.see(Seen.JOBS_DONE);
      findings.require(
          track.succeededIn == 0 || track.succeededIn == run,
          "J2",
          () -> "job " + track.id + " succeeded twice");
      track.succeededIn = run;
    } else if (finish.result() instanceof Completion.Retried) {
      findings.see(Seen.JOBS_RETRIED);
    }
  }

  private void claimed(ClaimedJob job) {
    Track track = track(job.id());
    int run = job.run().number();
    if (run <= track.newestRun) {
      return; // told again
    }
    findings.note(track.id.value(), run);
    track.newestRun = run;
    findings.require(
        track.succeededIn == 0, "J2", () -> "job " + track.id + " is run after its success");
    findings.require(
        !track.cancelled, "J4", () -> "job " + track.id + " is run after it was cancelled");
    findings.require(
        job.run().attempt() <= job.rules().maxAttempts(),
        "J3",
        () -> "job " + track.id + " has attempt " + job.run().attempt() + " of " + job.rules());
  }

  // What handlers do.

  /**
   * A handler begins.
   *
   * @param frozen whether the process was frozen when the engine called the handler
   */
  Running started(Life process, JobContext<String> context, Effect effect, boolean frozen) {
    Track track = track(context.id());
    findings.trace(() -> process + " handles job " + track.id + " run " + context.run());
    findings.note(track.id.value(), process.number);
    track.starts++;
    findings.require(
        effect != Effect.AT_MOST_ONCE || track.starts == 1 || track.requeued,
        "I3",
        () -> "job " + track.id + " that may run once began again");
    findings.require(
        context.attempt() <= context.maxAttempts(),
        "J3",
        () -> "job " + track.id + " begins attempt " + context.attempt());
    findings.require(
        process.standing.isMember(),
        "I6",
        () -> process + " begins job " + track.id + " when it is not proven to live");
    findings.require(
        context.run() == 1 || isNotedIfLostBefore(track, context.run()),
        "J3",
        () -> "job " + track.id + " was lost before and begins, which is not on record");
    findings.require(
        effect != Effect.AT_MOST_ONCE || track.startRecorded,
        "J3",
        () -> "job " + track.id + " that may run once begins, which is not on record");
    findings.require(
        frozen || !simulation.ratesAreWithinBound() || !hasEnded(track),
        "J8",
        () -> process + " begins run " + context.run() + " of job " + track.id + " after its end");
    String limitedBy = context.lane().kind().equals("limited") ? context.payload() : "";
    Running begun =
        new Running(track, context.run(), limitedBy, process, process.standing.membership());
    if (simulation.ratesAreWithinBound()) {
      checkBeside(begun);
    }
    running.add(begun);
    return begun;
  }

  /** A replica hears of a cancel by a hint, which may be late. */
  private boolean hasEnded(Track track) {
    return find(track)
        .map(Job::state)
        .filter(state -> state.isTerminal() && state != JobState.CANCELLED)
        .isPresent();
  }

  /** Should it be lost again, nobody could tell it from one that never began. */
  private boolean isNotedIfLostBefore(Track track, int run) {
    Optional<Job> job = find(track).filter(found -> isLostBefore(found.attempts()));
    return job.flatMap(Job::run)
        .filter(now -> now.number() == run)
        .map(now -> now.startedAt().isPresent())
        .orElse(true);
  }

  private static boolean isLostBefore(List<Job.Attempt> attempts) {
    boolean lost = false;
    for (Job.Attempt attempt : attempts) {
      // A process that joined again did not die of the job.
      boolean livedOn = attempt.detail().orElse("").contains("lost its membership");
      lost |= attempt.outcome() == Outcome.RESCUED && !livedOn;
      lost &= attempt.outcome() != Outcome.REQUEUED;
    }
    return lost;
  }

  private void checkBeside(Running begun) {
    int beside = 0;
    for (Running other : running) {
      if (!isCounted(other)) {
        continue;
      }
      findings.require(
          other.track() != begun.track() || other.run() == begun.run() || other.track().requeued,
          "J7",
          () -> "job " + begun.track().id + " runs twice at a time: " + other + " and " + begun);
      if (!begun.limitedBy().isEmpty()
          && !other.limitedBy().isEmpty()
          && (!simulation.plan().limitPerKey || other.limitedBy().equals(begun.limitedBy()))) {
        beside++;
      }
    }
    int found = beside;
    if (beside + 1 == simulation.plan().limit && !begun.limitedBy().isEmpty()) {
      findings.see(Seen.LIMITS_FULL);
    }
    findings.require(
        found < simulation.plan().limit || begun.limitedBy().isEmpty(),
        "J6",
        () -> found + 1 + " handlers run, " + simulation.plan().limit + " are allowed");
  }

  /** Those that were called off or taken for dead no longer count, though they may still run. */
  private static boolean isCounted(Running handler) {
    Track track = handler.track();
    return handler.process().isStill(handler.membership())
        && (track.cancelledRuns & (1L << (handler.run() & 63))) == 0
        && !track.isAccepted(handler.run());
  }

  void ended(Running handler) {
    running.remove(handler);
  }

  void killed(Life process) {
    running.removeIf(handler -> handler.process() == process);
  }

  /** Says whether all jobs have ended. */
  boolean isQuiet() {
    for (Track track : tracks.values()) {
      if (!find(track).map(job -> job.state().isTerminal()).orElse(true)) {
        return false;
      }
    }
    return true;
  }

  /** At the end of a run, when everything had the time to end. */
  void check() {
    for (Track track : tracks.values()) {
      Optional<Job> found = find(track);
      findings.require(
          found.isPresent() || !track.acknowledged, "J1", () -> "job " + track.id + " is lost");
      found.ifPresent(job -> check(track, job));
    }
  }

  private void check(Track track, Job job) {
    findings.require(
        job.state().isTerminal(), "J1", () -> "job " + track.id + " never ended: " + job);
    findings.require(
        (job.state() == JobState.SUCCEEDED) == (track.succeededIn > 0),
        "J2",
        () -> "job " + track.id + " succeeded in " + track.succeededIn + " but is " + job);
    findings.require(
        !track.cancelled || job.state() == JobState.CANCELLED,
        "J4",
        () -> "job " + track.id + " was cancelled but is " + job);
    findings.require(
        job.state() != JobState.UNKNOWN || track.startRecorded,
        "J3",
        () -> "job " + track.id + " is unknown, and its start was never on record: " + job);
    if (job.state() == JobState.DEAD) {
      findings.see(Seen.JOBS_DEAD);
      boolean crashed = job.attempts().get(job.attempts().size() - 1).outcome() == Outcome.CRASHED;
      // The first crash counts in any case, and so does one after a start was recorded: the answer
      // to that may have been lost, so that the handler did not begin.
      int mayHaveBegun = Math.max(track.starts, Long.bitCount(track.recordedStarts));
      findings.require(
          !crashed || track.requeued || mayHaveBegun >= JobStore.MOST_CRASHES - 1,
          "J3",
          () -> "job " + track.id + " began " + track.starts + " times and is given up: " + job);
    }
  }

  private Optional<Job> find(Track track) {
    JobStore jobs = simulation.store().jobs();
    return jobs.find(track.id);
  }

  private Track track(JobId id) {
    return tracks.computeIfAbsent(id.value(), fresh -> new Track(id));
  }
}
