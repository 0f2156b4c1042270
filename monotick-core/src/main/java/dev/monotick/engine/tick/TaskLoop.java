package dev.monotick.engine.tick;

import dev.monotick.engine.leader.HeldTerm;
import dev.monotick.engine.observe.TaskCounters;
import dev.monotick.schedule.Schedule;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.task.HaMode;
import dev.monotick.task.Task;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.CatchUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One task on this replica: from "due" over the claim to the report.
 *
 * <p>Nothing is remembered that the ledger does not say: after every answer the loop plans anew
 * from the state it got. A claim is asked for, one at a time; only a definite "claimed" starts a
 * body, and only if leadership or membership still hold then. Whatever is claimed and not started
 * is given back; whatever is started is reported, until the ledger has answered.
 */
public final class TaskLoop {

  private static final Logger log = LoggerFactory.getLogger(TaskLoop.class);

  /** The replica of rank n waits n of these before it tries a tick that another should have. */
  private static final Duration HEAD_START = Duration.ofMillis(100);

  private static final int LAST_RANK = 5;

  private final Task spec;
  private final HaMode mode;
  private final TickPlanner planner;
  private final LedgerClient ledger;
  private final TaskHost host;
  private final TaskCounters counters = new TaskCounters();
  private final TaskSlots slots;
  private @Nullable SeriesState state;
  private @Nullable Instant startTick;
  private @Nullable Instant next;
  private @Nullable Instant freshFor;
  private @Nullable Instant leftFor;
  private boolean claiming;
  private boolean taking;
  private boolean refreshing;
  private boolean refreshBeforeNext;
  private int running;

  /** Claims that were sent, until they are refused or what became of them is recorded. */
  private final Set<TickClaimId> open = new HashSet<>(4);

  /** When the {@link DueQueue} will wake this loop; its own, kept here to be found at once. */
  DueQueue.@Nullable Entry scheduledFor;

  /**
   * Creates a loop.
   *
   * @param mode how the task is run, which may differ from what it declares
   */
  public TaskLoop(Task spec, HaMode mode, LedgerClient ledger, TaskHost host) {
    this.spec = spec;
    this.mode = mode;
    this.planner = new TickPlanner(spec);
    this.slots = mode == HaMode.SHARED ? new TaskSlots(spec.slots()) : TaskSlots.ONE;
    this.ledger = ledger;
    this.host = host;
  }

  public Task spec() {
    return spec;
  }

  public HaMode mode() {
    return mode;
  }

  public LedgerClient ledger() {
    return ledger;
  }

  public TickPlanner planner() {
    return planner;
  }

  TaskSlots slots() {
    return slots;
  }

  public TaskCounters counters() {
    return counters;
  }

  @Nullable
  public SeriesState state() {
    return state;
  }

  /** Returns the nominal time of the next tick as far as this replica knows, null if none. */
  @Nullable
  public Instant next() {
    return next;
  }

  public int running() {
    return running;
  }

  /** Begins with the state the ledger gave at registration. */
  public void registered(SeriesState first, @Nullable Instant tickAtStart) {
    startTick = tickAtStart;
    accept(first);
    evaluate();
  }

  /** The time has come that this loop had asked for. */
  void scheduledTimeReached() {
    if (refreshBeforeNext) {
      refresh();
    } else {
      evaluate();
    }
  }

  /** Reads the state from the ledger and plans anew. */
  public void refresh() {
    if (refreshing || state == null) {
      return;
    }
    refreshing = true;
    ledger.refresh(
        spec.name(),
        found -> {
          refreshing = false;
          refreshBeforeNext = false;
          found.ifPresent(this::accept);
          evaluate();
        });
  }

  /** Plans from what is known, and acts. */
  void evaluate() {
    SeriesState known = state;
    if (known == null || claiming || !host.isRunning()) {
      return;
    }
    TickPlan plan = planner.plan(known, host.now(), startTick);
    next = null;
    if (plan instanceof TickPlan.Wait wait) {
      next = wait.nominal();
      host.scheduleAt(this, wait.due());
    } else if (plan instanceof TickPlan.Due due) {
      due(due, known);
    } else if (plan instanceof TickPlan.Account account) {
      account(account, known);
    } else if (plan instanceof TickPlan.Paused paused) {
      if (paused.nextCheck() != null) {
        refreshBeforeNext = true; // somebody else may have resumed it
        host.scheduleAt(this, paused.nextCheck());
      }
    } else if (spec.schedule().anchor() == Schedule.Anchor.LAST_END) {
      host.refreshLater(this); // the run may be another replica's
    }
  }

  /**
   * Says whether this replica may not claim for the cluster because it is not proven to live: the
   * others may take what it claims while it runs. Joining wakes all loops.
   */
  private boolean isNoMember() {
    return mode.isExclusive() && host.live().isEmpty();
  }

  /** Returns whether only replicas with another registration run the task. */
  private boolean isSuperseded() {
    ReplicaDifferences.Winner winner = host.winner(spec.name());
    return winner != null && winner.group() == null;
  }

  /** Returns the group whose leader alone runs the task; null if the task needs no leader. */
  @Nullable
  public String leadingGroup() {
    ReplicaDifferences.Winner winner = host.winner(spec.name());
    if (winner != null) {
      return winner.group();
    }
    return mode == HaMode.LEADER ? spec.group() : null;
  }

  /** Returns this replica's term of the group, null unless work may begin in it. */
  private @Nullable HeldTerm usableTerm(String group) {
    HeldTerm term = host.term(group);
    return term != null && term.mayStart() ? term : null;
  }

  /**
   * Returns the replica whose registration counts instead of this one's; null if this one's does.
   */
  @Nullable
  public String supersededBy() {
    ReplicaDifferences.Winner winner = host.winner(spec.name());
    boolean leads = winner != null && winner.group() != null && host.term(winner.group()) != null;
    return winner == null || leads ? null : winner.replica();
  }

  private RunAuthority authority(@Nullable HeldTerm term) {
    return new RunAuthority(term, mode.isExclusive() ? host.membershipLease() : null);
  }

  private void due(TickPlan.Due plan, SeriesState known) {
    next = plan.nominal();
    if (isNoMember() || isSuperseded()) {
      return;
    }
    if (onOverlap() == OverlapRule.WAIT && known.open() > 0) {
      host.refreshLater(this);
      return;
    }
    String group = leadingGroup();
    HeldTerm term = group == null ? null : usableTerm(group);
    if (group != null && term == null) {
      leaveToLeader(plan.nominal());
      return;
    }
    switch (mode) {
      case EVERY_REPLICA -> claim(plan, known, null);
      case SHARED -> {
        if (slots.free() > 0) {
          claim(plan, known, null);
        } else {
          noSlotIsFree(plan, known);
        }
      }
      case LEADER, ONE_REPLICA -> {
        if (term != null || isPreferred(plan)) {
          claim(plan, known, term);
        }
      }
    }
  }

  /** A follower's tick: nothing is done, and the timer goes on. */
  private void leaveToLeader(Instant nominal) {
    boolean hasTimes = spec.schedule().anchor() == Schedule.Anchor.NOMINAL;
    // The state of a follower is old, so the tick may be too. The timer goes on from the newest
    // one: what follows an older one is due already, and would wake this loop without end.
    Instant latest = hasTimes ? planner.latestDue(nominal, host.now()) : nominal;
    if (!latest.equals(leftFor)) {
      leftFor = latest;
      log.debug("not the leader, skipping tick task={} nominal={}", spec.name(), latest);
      counters.leftToLeader++;
      host.telemetry().leftToLeader(spec.name());
    }
    if (hasTimes) {
      spec.schedule()
          .next(latest)
          .ifPresent(
              following -> {
                next = following;
                host.scheduleAt(this, planner.due(following));
              });
    }
  }

  /** Says whether this replica should try the tick now; if not, sees to it that it looks again. */
  private boolean isPreferred(TickPlan.Due plan) {
    int rank = Rendezvous.rank(host.context().replica(), host.live(), spec.name(), plan.nominal());
    if (rank == 0) {
      return true;
    }
    Instant turn = plan.due().plus(HEAD_START.multipliedBy(Math.min(rank, LAST_RANK)));
    if (turn.isAfter(host.now())) {
      host.scheduleAt(this, turn);
      return false;
    }
    if (!plan.nominal().equals(freshFor)) {
      // Most likely the tick is taken: reading that is cheaper than losing a claim.
      freshFor = plan.nominal();
      refresh();
      return false;
    }
    return true;
  }

  private void claim(TickPlan.Due plan, SeriesState known, @Nullable HeldTerm term) {
    claiming = true;
    long sentAt = host.context().time().nanos();
    RunAuthority authority = authority(term);
    TickClaim request =
        new TickClaim(
            ledger.newClaim(),
            TickId.scheduled(spec.name(), plan.nominal()),
            known,
            plan.ranges().get(),
            onOverlap(plan),
            spec.effect(),
            term == null ? null : term.proof());
    open.add(request.claim());
    ledger.claim(
        request,
        reply -> {
          claiming = false;
          closeIfRefused(request.claim(), reply);
          Duration took = Duration.ofNanos(host.context().time().nanos() - sentAt);
          claimAnswered(request, plan, took, authority, reply);
        });
  }

  private void claimAnswered(
      TickClaim request,
      TickPlan.Due plan,
      Duration took,
      RunAuthority authority,
      TickClaimReply reply) {
    accept(reply.state());
    TickId tick = request.tick();
    switch (reply.kind()) {
      case CLAIMED -> {
        host.telemetry().notRun(spec.name(), request.ranges());
        counters.notRun(request.ranges());
        ClaimedTick claimed =
            new ClaimedTick(tick, request.claim(), reply.attempt(), plan.due(), authority);
        boolean tooLate =
            took.compareTo(CatchUp.ON_TIME) > 0 && !planner.isWanted(plan.nominal(), host.now());
        if (tooLate) {
          Instant now = host.now();
          String detail = "the claim was answered too late";
          report(claimed, new TickReport.Ended(Outcome.MISSED, detail, null, now, true));
        } else {
          begin(claimed);
        }
      }
      case SKIPPED -> {
        host.telemetry().notRun(spec.name(), request.ranges());
        counters.notRun(request.ranges());
        skippedByOverlap(tick);
      }
      case QUEUED -> {
        host.telemetry().notRun(spec.name(), request.ranges());
        counters.notRun(request.ranges());
        queued(tick);
      }
      case BUSY -> {
        host.refreshLater(this);
        if (reply.state().open() == 0) {
          host.rescueSoon(ledger); // an older tick waits: it comes first
        }
      }
      case PAUSED -> {
        // The state says so; the plan that follows from it looks again at the next tick.
      }
      case MOVED -> {
        counters.duplicatesRefused++;
        host.telemetry().duplicateRefused(spec.name());
        log.debug("another replica claimed the tick first tick={}", tick);
      }
      case MISSED -> throw new IllegalStateException(tick + " was claimed, not taken");
      case FENCED -> fenced(authority.term());
    }
    if (reply.kind() != TickClaimReply.Kind.BUSY) {
      evaluate();
    }
  }

  private void account(TickPlan.Account plan, SeriesState known) {
    if (isNoMember() || isSuperseded()) {
      return;
    }
    String group = leadingGroup();
    HeldTerm term = group == null ? null : usableTerm(group);
    if (group != null && term == null) {
      leaveToLeader(plan.latest());
      return;
    }
    HeldTerm proven = mode.isExclusive() ? term : null; // the ledger of this process knows no terms
    account(
        new TickAccount(known, plan.ranges().get(), proven == null ? null : proven.proof()),
        proven);
  }

  private void account(TickAccount request, @Nullable HeldTerm term) {
    claiming = true;
    ledger.account(
        request,
        reply -> {
          claiming = false;
          accept(reply.state());
          if (reply.kind() == TickClaimReply.Kind.CLAIMED) {
            host.telemetry().notRun(spec.name(), request.ranges());
            counters.notRun(request.ranges());
          } else if (reply.kind() == TickClaimReply.Kind.FENCED) {
            fenced(term);
          }
          evaluate();
        });
  }

  private void noSlotIsFree(TickPlan.Due plan, SeriesState known) {
    log.info("no slot is free, skipping tick task={} nominal={}", spec.name(), plan.nominal());
    List<TickRecord.Range> gaps = new ArrayList<>(plan.ranges().get());
    gaps.add(TickRecord.Range.skipped(plan.nominal(), plan.nominal(), 1, SkipReason.OVERLAP));
    account(new TickAccount(known, gaps, null), null);
  }

  private void fenced(@Nullable HeldTerm term) {
    counters.refusedByFence++;
    host.telemetry().refusedByFence(spec.name());
    if (term != null) {
      host.fenced(term);
    }
  }

  private void skippedByOverlap(TickId tick) {
    log.info("still running, skipping tick task={} nominal={}", spec.name(), tick.nominal());
    counters.skipped++;
    host.telemetry().skipped(tick, SkipReason.OVERLAP);
  }

  private void queued(TickId tick) {
    log.info("still running, tick waits task={} nominal={}", spec.name(), tick.nominal());
    if (onOverlap() == OverlapRule.REPLACE) {
      host.bodies()
          .cancel(run -> run.loop() == this && !run.tick().equals(tick), TickCancelReason.REPLACED);
    }
    host.rescueSoon(ledger); // the run may have ended in between
  }

  /** Takes a waiting tick if this replica may run it now, or has it recorded as missed. */
  public void takeWaiting(TickId tick) {
    SeriesState known = state;
    if (known == null || taking || !host.isRunning() || isNoMember()) {
      return;
    }
    if (mode.isExclusive() && isSuperseded()) {
      return; // the replicas whose registration counts take it
    }
    String group = mode.isExclusive() ? leadingGroup() : null;
    HeldTerm term = group == null ? null : usableTerm(group);
    if (group != null && term == null) {
      return;
    }
    taking = true;
    OverlapRule overlap = onOverlap() == OverlapRule.ALLOW ? OverlapRule.ALLOW : OverlapRule.WAIT;
    boolean passedOver =
        !tick.isTriggered() && planner.passesOver(tick.nominal(), known, host.now());
    TickTake request =
        new TickTake(
            ledger.newClaim(),
            tick,
            overlap,
            spec.effect(),
            term == null ? null : term.proof(),
            passedOver ? known.cursor() : null);
    RunAuthority authority = authority(term);
    open.add(request.claim());
    ledger.take(
        request,
        reply -> {
          taking = false;
          closeIfRefused(request.claim(), reply);
          accept(reply.state());
          boolean again = false;
          switch (reply.kind()) {
            case CLAIMED -> {
              Instant due = tick.isTriggered() ? tick.nominal() : planner.due(tick.nominal());
              begin(new ClaimedTick(tick, request.claim(), reply.attempt(), due, authority));
              again = true;
            }
            case MISSED -> {
              missed(tick);
              again = true;
            }
            // Decided from an older state: by the newer one the tick may be wanted.
            case MOVED -> again = passedOver && reply.state().cursor().isAfter(known.cursor());
            case FENCED -> fenced(authority.term());
            default -> {}
          }
          if (again && reply.state().queued() > 0) {
            host.rescueSoon(ledger);
          }
          evaluate();
        });
  }

  private void missed(TickId tick) {
    log.info("catch-up passed over a waiting tick task={} nominal={}", spec.name(), tick.nominal());
    List<TickRecord.Range> gap =
        List.of(TickRecord.Range.missed(tick.nominal(), tick.nominal(), 1));
    host.telemetry().notRun(spec.name(), gap);
    counters.notRun(gap);
  }

  private void closeIfRefused(TickClaimId claim, TickClaimReply reply) {
    if (reply.kind() != TickClaimReply.Kind.CLAIMED) {
      open.remove(claim);
    }
  }

  /**
   * Gives back a tick that the ledger takes for running here, by a claim nobody here waits for: a
   * request that got no answer was sent again and refused, and then the first one arrived. Left
   * alone, the tick would run for ever and keep the others from running.
   */
  public void giveBackUnknown(TickRescue.Held held) {
    if (open.contains(held.claim())) {
      return;
    }
    log.info("granted late to a request that was sent twice, giving it back tick={}", held.tick());
    ledger.report(
        new TickReport(
            held.claim(),
            held.tick(),
            new TickReport.GivenBack("the claim was no longer wanted", false)),
        reply -> {
          accept(reply.state());
          if (reply.state().queued() > 0) {
            host.rescueSoon(ledger);
          }
          evaluate();
        });
  }

  /** The claim is granted: the last look before the body is started. */
  private void begin(ClaimedTick claimed) {
    startTick = null;
    HeldTerm term = claimed.term();
    String obstacle = null;
    if (!host.isRunning()) {
      obstacle = "the engine stops";
    } else if (term != null && !term.mayStart()) {
      obstacle = "leadership was lost";
    } else if (!claimed.authority().mayStart()) {
      obstacle = "this replica is not proven to live";
    }
    if (obstacle != null) {
      log.info("claimed but not started tick={} because {}", claimed.tick(), obstacle);
      report(claimed, new TickReport.GivenBack("not started: " + obstacle, false));
      return;
    }
    running++;
    host.bodies().start(this, claimed);
  }

  /** The body was cancelled for its timeout; it may still run. */
  void timedOut(BodyRun run) {
    report(run.claimed(), TickReports.timedOut(run, false, host.now()));
  }

  void bodyEnded(BodyRun run, boolean began, @Nullable Throwable failure) {
    running--;
    report(run.claimed(), TickReports.ended(run, began, failure, host.now()));
  }

  private void report(ClaimedTick claimed, TickReport.Report report) {
    ledger.report(
        new TickReport(claimed.claim(), claimed.tick(), report),
        reply -> reportAnswered(claimed, report, reply));
  }

  private void reportAnswered(
      ClaimedTick claimed, TickReport.Report report, TickReportReply reply) {
    SeriesState before = state;
    accept(reply.state());
    boolean bodyRuns = report instanceof TickReport.Ended end && !end.bodyEnded();
    if (!bodyRuns) {
      open.remove(claimed.claim());
    }
    if (report instanceof TickReport.Ended ended) {
      // A timeout is told when it strikes; that its body ended later is no second outcome.
      boolean told = ended.outcome() == Outcome.TIMED_OUT && ended.bodyEnded();
      if (!reply.recorded()) {
        counters.refusedByFence++;
        host.telemetry().reportRefused(claimed.tick(), ended.outcome());
      } else if (!told) {
        publish(claimed, ended);
        publishFailures(before, reply.state());
      }
    }
    if (reply.state().queued() > 0) {
      host.rescueSoon(ledger);
    }
    evaluate();
  }

  private void publish(ClaimedTick claimed, TickReport.Ended ended) {
    counters.ended(ended.outcome(), ended.at());
    Instant startedAt = ended.startedAt();
    Duration duration = startedAt == null ? Duration.ZERO : Duration.between(startedAt, ended.at());
    host.telemetry().ended(claimed.tick(), ended.outcome(), ended.detail(), duration, ended.at());
  }

  private void publishFailures(@Nullable SeriesState before, SeriesState after) {
    if (after.failures() == 0 || (before != null && before.failures() >= after.failures())) {
      return;
    }
    if (planner.isPausedForFailures(after)) {
      host.telemetry().paused(spec.name(), "monotick", after.failures() + " failures in a row");
    } else {
      host.telemetry().backingOff(spec.name(), after.failures(), planner.notBefore(after));
    }
  }

  /** Takes a newer state; answers may overtake each other, and an older one says nothing new. */
  private void accept(SeriesState other) {
    SeriesState known = state;
    if (known == null || !other.cursor().isBefore(known.cursor())) {
      state = other;
    }
  }

  /**
   * A tick that is run to catch up is not skipped because of a run before it: that may be one of a
   * replica that is gone, or have ended without the ledger knowing yet. It is planned anew later.
   */
  private OverlapRule onOverlap(TickPlan.Due plan) {
    OverlapRule usual = onOverlap();
    boolean waits = usual == OverlapRule.SKIP || usual == OverlapRule.QUEUE_ONE;
    return plan.late() && waits ? OverlapRule.WAIT : usual;
  }

  private OverlapRule onOverlap() {
    boolean backlog = spec.catchUp().maximum() > 1;
    if (spec.schedule().anchor() == Schedule.Anchor.LAST_END) {
      return OverlapRule.WAIT;
    }
    return switch (spec.overlap()) {
      case SKIP -> backlog ? OverlapRule.WAIT : OverlapRule.SKIP;
      case QUEUE_ONE -> backlog ? OverlapRule.WAIT : OverlapRule.QUEUE_ONE;
      case ALLOW -> OverlapRule.ALLOW;
      case CANCEL_PREVIOUS -> OverlapRule.REPLACE;
    };
  }
}
