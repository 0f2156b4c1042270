package dev.monotick.postgres.difference;

import dev.monotick.error.SchedulerException;
import dev.monotick.job.Enqueued;
import dev.monotick.job.Job;
import dev.monotick.job.JobId;
import dev.monotick.job.JobLimit;
import dev.monotick.job.JobPause;
import dev.monotick.job.JobState;
import dev.monotick.job.QueueFullException;
import dev.monotick.spi.job.Completion;
import dev.monotick.spi.job.EnqueueRequest;
import dev.monotick.spi.job.JobDraft;
import dev.monotick.spi.job.JobRun;
import dev.monotick.spi.job.RunProgress;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.testkit.contract.StoreExchange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One call of a store. Names jobs by labels, so that it means the same in both stores, and still
 * means something after other steps were dropped.
 */
sealed interface Step {

  /** Makes the call, and returns the answer in words that are the same if the answers agree. */
  String play(Side side);

  /** Returns the jobs that are compared in full afterwards. */
  default Set<String> concerns() {
    return Set.of();
  }

  /** Time passes; the caller moves the clocks. */
  record Advance(Duration by) implements Step {
    @Override
    public String play(Side side) {
      return "";
    }
  }

  record Enqueue(
      List<Draft> drafts,
      EnqueueRequest.Follow follow,
      Optional<String> parent,
      Optional<Long> depth)
      implements Step {

    @Override
    public String play(Side side) {
      Instant now = side.now();
      List<JobDraft> wanted = drafts.stream().map(draft -> draft.draft(now)).toList();
      List<Enqueued> replies;
      try {
        replies =
            side.jobs().enqueue(new EnqueueRequest(wanted, follow, parent.map(side::id), depth));
      } catch (QueueFullException e) {
        return "queue full";
      }
      for (int i = 0; i < replies.size(); i++) {
        if (replies.get(i).isNew()) {
          side.added(drafts.get(i), replies.get(i).id());
        }
      }
      return replies.stream()
          .map(reply -> (reply.isNew() ? "new " : "is ") + side.label(reply.id()))
          .collect(Collectors.joining(", "));
    }

    @Override
    public Set<String> concerns() {
      return drafts.stream().map(Draft::label).collect(Collectors.toSet());
    }
  }

  /**
   * A turn of a replica.
   *
   * @param ago 0 if its present membership sends it, 1 if the one before does
   * @param lane the lane it asks for; all if it is negative
   * @param again whether it was sent before
   */
  record Turn(
      int replica, int ago, long number, List<Report> reports, int most, int lane, boolean again)
      implements Step {

    /** More than a test ever adds. */
    static final int ALL = 1_000;

    StoreExchange turn(Side side, MemberId id) {
      // Between lanes the order is a matter of shares, which are each store's own. So a turn asks
      // for one lane, or for all there is; and if the lanes share a limit, all there is depends on
      // the order too.
      int one = lane < 0 && !side.limited().isEmpty() ? 0 : lane;
      Set<String> kinds = one < 0 ? Set.of("k0", "k1", "k2") : Set.of(Side.LANES.get(one).kind());
      Set<String> queues = one < 0 ? Set.of() : Set.of(Side.LANES.get(one).queue());
      List<Completion> finishes =
          reports.stream().map(report -> report.finish(side)).filter(Objects::nonNull).toList();
      int wanted = one < 0 && most > 0 ? ALL : most;
      return new StoreExchange(id, number, finishes, wanted, kinds, queues);
    }

    Turn sentAgain() {
      return new Turn(replica, ago, number, reports, most, lane, true);
    }

    @Override
    public String play(Side side) {
      MemberId id = side.replica(replica, ago).orElse(null);
      if (id == null) {
        return "not sent";
      }
      boolean isFirst = !side.hasSent(id, this);
      boolean isLate = number > 0 && number < side.nextNumber(id) - 1;
      if (!side.maySend(id, this)) {
        return "not sent";
      }
      StoreExchange.Reply reply = side.turn(turn(side, id));
      side.heard(id, number, reply);
      side.tally().add(Tally.Event.LATE_TURN, isLate ? 1 : 0);
      List<Boolean> finished = Answers.finished(side, reply, reports);
      for (int i = 0; i < Math.min(finished.size(), reports.size()); i++) {
        count(side, id, reports.get(i), finished.get(i));
      }
      return Answers.of(side, reply, finished, isFirst);
    }

    /** Reports of what the replica never had are no late ones. */
    private void count(Side side, MemberId id, Report report, boolean counts) {
      if (side.given(id).stream().anyMatch(report::isOf)) {
        if (counts) {
          side.tally().add(Tally.Event.REPORT_OF_FORMER_MEMBERSHIP, ago > 0 ? 1 : 0);
        } else {
          boolean isForgotten = side.hasForgotten(report.label());
          side.tally().add(Tally.Event.REFUSED_REPORT, 1);
          side.tally().add(Tally.Event.REFUSED_REPORT_OF_FORGOTTEN_JOB, isForgotten ? 1 : 0);
        }
      }
    }

    @Override
    public Set<String> concerns() {
      return reports.stream().map(Report::label).collect(Collectors.toSet());
    }
  }

  /**
   * A replica leaves its turn open, and a job is added at once: the database may give it to the
   * replica under the number of that turn.
   *
   * @param turn asks for the lane of the job
   */
  record HandOff(Turn turn, Draft draft) implements Step {

    @Override
    public String play(Side side) {
      MemberId id = side.replica(turn.replica());
      if (!side.maySend(id, turn)) {
        return "not sent";
      }
      String alive = side.beat(id);
      StoreExchange open = turn.turn(side, id);
      StoreExchange.Reply found =
          side.turn(
              new StoreExchange(
                  open.replica(), open.number(), List.of(), 1, open.kinds(), open.queues(), true));
      side.heard(id, turn.number(), found);
      if (found.used()) {
        return alive + " " + Answers.of(side, found, List.of(), false);
      }
      Enqueue order =
          new Enqueue(
              List.of(draft), EnqueueRequest.Follow.NONE, Optional.empty(), Optional.empty());
      side.leftOpen(id);
      return alive + " " + order.play(side);
    }

    /** Returns whether the job was given to the replica already. */
    boolean wasHanded(Side side) {
      JobId id = side.id(draft.label());
      return id != null && side.jobs().find(id).orElseThrow().state() == JobState.RUNNING;
    }

    /** Has the replica come a moment later, which is what being given the job amounts to. */
    void comeLater(Side side) {
      var unused = side.turn(turn.turn(side, side.replica(turn.replica())));
    }

    /** Closes the turn, if it is open. */
    void close(Side side) {
      MemberId id = side.replica(turn.replica());
      if (side.waits(id)) {
        StoreExchange open = turn.turn(side, id);
        var unused =
            side.turn(
                new StoreExchange(
                    open.replica(), open.number(), List.of(), 0, open.kinds(), open.queues()));
        side.closed(id);
      }
    }

    @Override
    public Set<String> concerns() {
      return Set.of(draft.label());
    }
  }

  /**
   * Days pass, and the database drops what ended long ago; the caller does it.
   *
   * @param lane the lane whose queue and tenant keep jobs for a shorter time than others; all do if
   *     it is negative
   */
  record Retention(int lane) implements Step {
    static final Duration KEPT = Duration.ofDays(1);

    @Override
    public String play(Side side) {
      return "";
    }
  }

  /** What a replica says of a run that it may or may not have. */
  record Note(int replica, int ago, Run run, @Nullable Double progress) implements Step {
    @Override
    public String play(Side side) {
      MemberId who = side.replica(replica, ago).orElse(null);
      JobId id = side.id(run.label());
      if (id == null || who == null || side.waits(who)) {
        return "";
      } else if (side.hasDropped(run.label())) {
        return "over";
      }
      List<Job.LogLine> lines =
          progress == null ? List.of() : List.of(new Job.LogLine(side.now(), "at " + progress));
      RunProgress note =
          new RunProgress(
              run.of(id, side), side.now(), progress, progress == null ? null : "x", lines);
      return side.jobs().note(who, List.of(note)).isEmpty() ? "goes on" : "over";
    }

    @Override
    public Set<String> concerns() {
      return Set.of(run.label());
    }
  }

  /** A replica is about to begin runs that it may or may not have. */
  record Start(int replica, int ago, List<Run> runs) implements Step {
    @Override
    public String play(Side side) {
      MemberId who = side.replica(replica, ago).orElse(null);
      if (who == null || side.waits(who)) {
        return "";
      }
      List<JobRun> asked = new ArrayList<>();
      for (Run run : runs) {
        JobId id = side.id(run.label());
        if (id != null && !side.hasDropped(run.label())) {
          asked.add(run.of(id, side));
        }
      }
      Set<JobRun> begin = side.jobs().start(who, asked, side.now());
      side.tally().add(Tally.Event.START_RECORD, begin.size());
      return "begin "
          + begin.stream().map(run -> side.label(run.id()) + " " + run.number()).sorted().toList();
    }

    @Override
    public Set<String> concerns() {
      return runs.stream().map(Run::label).collect(Collectors.toSet());
    }
  }

  record Beat(int replica, int ago) implements Step {
    @Override
    public String play(Side side) {
      return side.replica(replica, ago).map(side::beat).orElse("");
    }
  }

  record Leave(int replica) implements Step {
    @Override
    public String play(Side side) {
      side.leave(replica);
      return "";
    }
  }

  /** A replica joins. */
  record Join(int replica, How how) implements Step {

    enum How {
      /** Under the id that it has: it stays a member, or is gone and stays so. */
      AGAIN,
      /** Another process, under another id. */
      RESTARTED,
      /** The same process under another id, which is left its claims for a while. */
      REJOINED
    }

    @Override
    public String play(Side side) {
      boolean isMember =
          switch (how) {
            case AGAIN -> side.joinAgain(replica);
            case RESTARTED -> side.restart(replica);
            case REJOINED -> side.rejoin(replica);
          };
      side.tally().add(Tally.Event.REJOIN, isMember && how == How.REJOINED ? 1 : 0);
      side.tally().add(Tally.Event.REFUSED_JOIN, isMember ? 0 : 1);
      return isMember ? "is a member" : "is gone";
    }
  }

  record Rescue() implements Step {
    @Override
    public String play(Side side) {
      int rescued = side.jobs().rescue();
      side.tally().add(Tally.Event.RESCUE, rescued);
      if (rescued > 0 && side.hasClaimsInGrace()) {
        side.tally().add(Tally.Event.RESCUE_BESIDE_GRACE, 1);
      }
      return "rescued " + rescued;
    }
  }

  /** Somebody decides about a job. */
  record Decide(String label, What what, Duration delay) implements Step {

    enum What {
      CANCEL,
      APPROVE,
      REJECT,
      RESCHEDULE,
      REQUEUE,
      PURGE
    }

    @Override
    public String play(Side side) {
      JobId id = side.id(label);
      if (id == null) {
        return "";
      } else if (side.hasDropped(label)) {
        return what == What.REQUEUE ? "requeued 0" : what == What.PURGE ? "purged false" : "false";
      }
      return switch (what) {
        case CANCEL -> "" + side.jobs().cancel(id, "ann", "no");
        case APPROVE -> "" + side.jobs().approve(id, "ann", "yes");
        case REJECT -> "" + side.jobs().reject(id, "ann", "no");
        case RESCHEDULE -> "" + side.jobs().reschedule(id, side.now().plus(delay));
        case REQUEUE -> "requeued " + side.jobs().requeue(List.of(id), "ann").size();
        case PURGE -> {
          boolean isGone = !side.jobs().purge(List.of(id)).isEmpty();
          if (isGone) {
            side.forget(label);
            side.tally().add(Tally.Event.PURGE, 1);
          }
          yield "purged " + isGone;
        }
      };
    }

    @Override
    public Set<String> concerns() {
      return Set.of(label);
    }
  }

  /** Somebody requeues or purges many jobs at once. */
  record DecideAll(List<String> labels, boolean isPurge) implements Step {
    @Override
    public String play(Side side) {
      List<JobId> ids = ids(side, labels);
      List<JobId> done = isPurge ? side.jobs().purge(ids) : side.jobs().requeue(ids, "ann");
      if (isPurge) {
        done.forEach(id -> side.forget(side.label(id)));
        side.tally().add(Tally.Event.PURGE, done.size());
      }
      return done.stream().map(side::label).sorted().toList().toString();
    }

    @Override
    public Set<String> concerns() {
      return Set.copyOf(labels);
    }
  }

  /** Somebody looks at some jobs. */
  record Show(List<String> labels) implements Step {
    @Override
    public String play(Side side) {
      return Answers.of(side, side.jobs().list(ids(side, labels)));
    }
  }

  private static List<JobId> ids(Side side, List<String> labels) {
    return labels.stream()
        .filter(label -> !side.hasDropped(label))
        .map(side::id)
        .filter(Objects::nonNull)
        .toList();
  }

  record Limit(JobLimit limit) implements Step {
    @Override
    public String play(Side side) {
      side.jobs().limit(limit);
      side.limited().add(limit.scope());
      return "";
    }
  }

  record Unlimit(JobLimit.Scope scope) implements Step {
    @Override
    public String play(Side side) {
      side.limited().remove(scope);
      return "" + side.jobs().removeLimit(scope);
    }
  }

  record Pause(JobPause.Of of, String name) implements Step {
    @Override
    public String play(Side side) {
      side.jobs().pause(new JobPause(of, name, "ann", "for now", side.now()));
      return "";
    }
  }

  record Resume(JobPause.Of of, String name) implements Step {
    @Override
    public String play(Side side) {
      return "" + side.jobs().resume(of, name);
    }
  }

  record Weigh(String tenant, int weight) implements Step {
    @Override
    public String play(Side side) {
      side.jobs().setTenantWeight(tenant, weight);
      return "";
    }
  }

  /** Plays a step; what a store throws is its answer. */
  static String attempt(Step step, Side side) {
    try {
      return step.play(side);
    } catch (IllegalArgumentException | SchedulerException e) {
      return "threw " + e.getClass().getSimpleName() + " " + e.getMessage();
    }
  }
}
