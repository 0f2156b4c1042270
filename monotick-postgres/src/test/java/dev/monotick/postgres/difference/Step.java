package dev.monotick.postgres.difference;

import dev.monotick.SchedulerException;
import dev.monotick.job.JobId;
import dev.monotick.job.JobState;
import dev.monotick.job.QueueFullException;
import dev.monotick.job.store.Enqueued;
import dev.monotick.job.store.JobDraft;
import dev.monotick.job.store.JobFinish;
import dev.monotick.job.store.JobLimit;
import dev.monotick.job.store.JobNote;
import dev.monotick.job.store.JobOrder;
import dev.monotick.job.store.JobPause;
import dev.monotick.job.store.JobRun;
import dev.monotick.job.store.JobTurn;
import dev.monotick.job.store.JobTurnReply;
import java.time.Duration;
import java.time.Instant;
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
      List<Draft> drafts, JobOrder.Follow follow, Optional<String> parent, Optional<Long> depth)
      implements Step {

    @Override
    public String play(Side side) {
      Instant now = side.now();
      List<JobDraft> wanted = drafts.stream().map(draft -> draft.draft(now)).toList();
      List<Enqueued> replies;
      try {
        replies = side.jobs().enqueue(new JobOrder(wanted, follow, parent.map(side::id), depth));
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
   * @param lane the lane it asks for; all if it is negative
   * @param again whether it was sent before
   */
  record Turn(int replica, long number, List<Report> reports, int most, int lane, boolean again)
      implements Step {

    /** More than a test ever adds. */
    static final int ALL = 1_000;

    JobTurn turn(Side side) {
      // Between lanes the order is a matter of shares, which are each store's own. So a turn asks
      // for one lane, or for all there is; and if the lanes share a limit, all there is depends on
      // the order too.
      int one = lane < 0 && !side.limited().isEmpty() ? 0 : lane;
      Set<String> kinds = one < 0 ? Set.of("k0", "k1", "k2") : Set.of(Side.LANES.get(one).kind());
      Set<String> queues = one < 0 ? Set.of() : Set.of(Side.LANES.get(one).queue());
      List<JobFinish> finishes =
          sent(side).stream().map(report -> report.finish(side)).filter(Objects::nonNull).toList();
      int wanted = one < 0 && most > 0 ? ALL : most;
      if (!Switches.OVERDUE_IN_TURN
          && reports.stream().anyMatch(report -> handsBack(side, report))) {
        wanted = 0;
      }
      return new JobTurn(side.replica(replica), number, finishes, wanted, kinds, queues);
    }

    private static boolean handsBack(Side side, Report report) {
      return report.how() == Report.How.HANDED_BACK
          && side.draft(report.label()).flatMap(Draft::deadline).isPresent();
    }

    private List<Report> sent(Side side) {
      return reports.stream().filter(report -> side.mayReport(report.label())).toList();
    }

    Turn sentAgain() {
      return new Turn(replica, number, reports, most, lane, true);
    }

    @Override
    public String play(Side side) {
      boolean isFirst = !side.hasSent(this);
      if (!side.maySend(this)) {
        return "not sent";
      }
      JobTurnReply reply = side.jobs().turn(turn(side));
      reply.jobs().forEach(job -> side.heard(job.run()));
      return Answers.of(side, reply, sent(side), isFirst);
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
      if (!side.maySend(turn)) {
        return "not sent";
      }
      side.beat(turn.replica());
      JobTurn open = turn.turn(side);
      JobTurnReply found =
          side.jobs()
              .turn(
                  new JobTurn(
                      open.replica(),
                      open.number(),
                      List.of(),
                      1,
                      open.kinds(),
                      open.queues(),
                      true));
      if (found.used()) {
        return Answers.of(side, found, turn.reports(), false);
      }
      Enqueue order =
          new Enqueue(List.of(draft), JobOrder.Follow.NONE, Optional.empty(), Optional.empty());
      side.leftOpen(turn.replica());
      return order.play(side);
    }

    /** Returns whether the job was given to the replica already. */
    boolean wasHanded(Side side) {
      JobId id = side.id(draft.label());
      return id != null && side.jobs().find(id).orElseThrow().state() == JobState.RUNNING;
    }

    /** Has the replica come a moment later, which is what being given the job amounts to. */
    void comeLater(Side side) {
      var unused = side.jobs().turn(turn.turn(side));
    }

    /** Closes the turn, if it is open. */
    void close(Side side) {
      if (side.waits(turn.replica())) {
        JobTurn open = turn.turn(side);
        var unused =
            side.jobs()
                .turn(
                    new JobTurn(
                        open.replica(), open.number(), List.of(), 0, open.kinds(), open.queues()));
        side.closed(turn.replica());
      }
    }

    @Override
    public Set<String> concerns() {
      return Set.of(draft.label());
    }
  }

  /** Days pass, and the database drops what ended long ago; the caller does it. */
  record Retention() implements Step {
    static final Duration KEPT = Duration.ofDays(1);

    @Override
    public String play(Side side) {
      return "";
    }
  }

  /** What a replica says of a run that it may or may not have. */
  record Note(int replica, String label, int run, int attempt, @Nullable Double progress)
      implements Step {
    @Override
    public String play(Side side) {
      JobId id = side.id(label);
      if (id == null || !side.mayReport(label) || side.waits(replica)) {
        return "";
      } else if (side.hasDropped(label)) {
        return "over";
      }
      JobRun named = new JobRun(id, run, attempt);
      List<JobNote.Line> lines =
          progress == null ? List.of() : List.of(new JobNote.Line(side.now(), "at " + progress));
      Set<JobRun> over =
          side.jobs()
              .note(
                  side.replica(replica),
                  List.of(
                      new JobNote(
                          named, side.now(), progress, progress == null ? null : "x", lines)));
      if (over.isEmpty()) {
        return "goes on";
      }
      side.ended(replica);
      return "over";
    }

    @Override
    public Set<String> concerns() {
      return Set.of(label);
    }
  }

  record Leave(int replica) implements Step {
    @Override
    public String play(Side side) {
      side.leave(replica);
      return "";
    }
  }

  /** A replica joins again. */
  record Join(int replica, boolean asAnother) implements Step {
    @Override
    public String play(Side side) {
      if (asAnother) {
        side.leave(replica);
        side.takeNewIdentity(replica);
      }
      side.join(replica);
      return "";
    }
  }

  record Rescue() implements Step {
    @Override
    public String play(Side side) {
      side.rescued();
      return "rescued " + side.jobs().rescue();
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
      return "" + side.jobs().unlimit(scope);
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
      side.jobs().weigh(tenant, weight);
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
