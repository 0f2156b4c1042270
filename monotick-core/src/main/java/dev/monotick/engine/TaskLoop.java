package dev.monotick.engine;

import dev.monotick.ledger.AccountRequest;
import dev.monotick.ledger.ClaimId;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.OnOverlap;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.SkipReason;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.schedule.Schedule;
import dev.monotick.task.CatchUp;
import dev.monotick.task.HaMode;
import dev.monotick.task.TaskSpec;
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
final class TaskLoop {

  private static final Logger log = LoggerFactory.getLogger(TaskLoop.class);

  /** The replica of rank n waits n of these before it tries a tick that another should have. */
  private static final Duration HEAD_START = Duration.ofMillis(100);

  private static final int LAST_RANK = 5;

  private final TaskSpec spec;
  private final HaMode mode;
  private final TickPlanner planner;
  private final LedgerClient ledger;
  private final TaskHost host;
  private final TaskCounters counters = new TaskCounters();
  private final Slots slots;
  private @Nullable TaskState state;
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
  private final Set<ClaimId> open = new HashSet<>(4);

  /** When the {@link DueQueue} will wake this loop; its own, kept here to be found at once. */
  DueQueue.@Nullable Entry wakeUp;

  /**
   * Creates a loop.
   *
   * @param mode how the task is run, which may differ from what it declares
   */
  TaskLoop(TaskSpec spec, HaMode mode, LedgerClient ledger, TaskHost host) {
    this.spec = spec;
    this.mode = mode;
    this.planner = new TickPlanner(spec);
    this.slots = mode == HaMode.SHARED ? new Slots(spec.slots()) : Slots.ONE;
    this.ledger = ledger;
    this.host = host;
  }

  TaskSpec spec() {
    return spec;
  }

  HaMode mode() {
    return mode;
  }

  LedgerClient ledger() {
    return ledger;
  }

  TickPlanner planner() {
    return planner;
  }

  Slots slots() {
    return slots;
  }

  TaskCounters counters() {
    return counters;
  }

  @Nullable TaskState state() {
    return state;
  }

  /** Returns the nominal time of the next tick as far as this replica knows, null if none. */
  @Nullable Instant next() {
    return next;
  }

  int running() {
    return running;
  }

  /** Begins with the state the ledger gave at registration. */
  void registered(TaskState first, @Nullable Instant tickAtStart) {
    startTick = tickAtStart;
    accept(first);
    evaluate();
  }

  /** The time has come that this loop had asked for. */
  void wake() {
    if (refreshBeforeNext) {
      refresh();
    } else {
      evaluate();
    }
  }

  /** Reads the state from the ledger and plans anew. */
  void refresh() {
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
    TaskState known = state;
    if (known == null || claiming || !host.isRunning()) {
      return;
    }
    Plan plan = planner.plan(known, host.now(), startTick);
    next = null;
    if (plan instanceof Plan.Wait wait) {
      next = wait.nominal();
      host.wakeAt(this, wait.due());
    } else if (plan instanceof Plan.Due due) {
      due(due, known);
    } else if (plan instanceof Plan.Account account) {
      account(account, known);
    } else if (plan instanceof Plan.Paused paused) {
      if (paused.look() != null) {
        refreshBeforeNext = true; // somebody else may have resumed it
        host.wakeAt(this, paused.look());
      }
    } else if (spec.schedule().anchor() == Schedule.Anchor.LAST_END) {
      host.lookAgain(this); // the run may be another replica's
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
  @Nullable String leadingGroup() {
    ReplicaDifferences.Winner winner = host.winner(spec.name());
    if (winner != null) {
      return winner.group();
    }
    return mode == HaMode.LEADER ? spec.group() : null;
  }

  /** Returns this replica's term of the group, null unless work may begin in it. */
  private @Nullable Term usableTerm(String group) {
    Term term = host.term(group);
    return term != null && term.mayStart() ? term : null;
  }

  /**
   * Returns the replica whose registration counts instead of this one's; null if this one's does.
   */
  @Nullable String supersededBy() {
    ReplicaDifferences.Winner winner = host.winner(spec.name());
    boolean leads = winner != null && winner.group() != null && host.term(winner.group()) != null;
    return winner == null || leads ? null : winner.replica();
  }

  private Authority authority(@Nullable Term term) {
    return new Authority(term, mode.isExclusive() ? host.membershipLease() : null);
  }

  private void due(Plan.Due plan, TaskState known) {
    next = plan.nominal();
    if (isNoMember() || isSuperseded()) {
      return;
    }
    if (onOverlap() == OnOverlap.WAIT && known.open() > 0) {
      host.lookAgain(this);
      return;
    }
    String group = leadingGroup();
    Term term = group == null ? null : usableTerm(group);
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
        if (term != null || isMyTurn(plan)) {
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
                host.wakeAt(this, planner.due(following));
              });
    }
  }

  /** Says whether this replica should try the tick now; if not, sees to it that it looks again. */
  private boolean isMyTurn(Plan.Due plan) {
    int rank = Rendezvous.rank(host.context().replica(), host.live(), spec.name(), plan.nominal());
    if (rank == 0) {
      return true;
    }
    Instant turn = plan.due().plus(HEAD_START.multipliedBy(Math.min(rank, LAST_RANK)));
    if (turn.isAfter(host.now())) {
      host.wakeAt(this, turn);
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

  private void claim(Plan.Due plan, TaskState known, @Nullable Term term) {
    claiming = true;
    long sentAt = host.context().time().nanos();
    Authority authority = authority(term);
    ClaimRequest request =
        new ClaimRequest(
            ledger.newClaim(),
            TickId.scheduled(spec.name(), plan.nominal()),
            known,
            plan.gaps().get(),
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
      ClaimRequest request, Plan.Due plan, Duration took, Authority authority, ClaimReply reply) {
    accept(reply.state());
    TickId tick = request.tick();
    switch (reply.kind()) {
      case CLAIMED -> {
        host.telemetry().notRun(spec.name(), request.gaps());
        counters.notRun(request.gaps());
        Claimed claimed =
            new Claimed(tick, request.claim(), reply.attempt(), plan.due(), authority);
        boolean tooLate =
            took.compareTo(CatchUp.ON_TIME) > 0 && !planner.isWanted(plan.nominal(), host.now());
        if (tooLate) {
          Instant now = host.now();
          String detail = "the claim was answered too late";
          report(claimed, new FinishRequest.Ended(Outcome.MISSED, detail, null, now, true));
        } else {
          begin(claimed);
        }
      }
      case SKIPPED -> {
        host.telemetry().notRun(spec.name(), request.gaps());
        counters.notRun(request.gaps());
        skippedByOverlap(tick);
      }
      case QUEUED -> {
        host.telemetry().notRun(spec.name(), request.gaps());
        counters.notRun(request.gaps());
        queued(tick);
      }
      case BUSY -> {
        host.lookAgain(this);
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
        log.debug("somebody else was first tick={}", tick);
      }
      case MISSED -> throw new IllegalStateException(tick + " was claimed, not taken");
      case FENCED -> fenced(authority.term());
    }
    if (reply.kind() != ClaimReply.Kind.BUSY) {
      evaluate();
    }
  }

  private void account(Plan.Account plan, TaskState known) {
    if (isNoMember() || isSuperseded()) {
      return;
    }
    String group = leadingGroup();
    Term term = group == null ? null : usableTerm(group);
    if (group != null && term == null) {
      leaveToLeader(plan.latest());
      return;
    }
    Term proven = mode.isExclusive() ? term : null; // the ledger of this process knows no terms
    account(
        new AccountRequest(known, plan.gaps().get(), proven == null ? null : proven.proof()),
        proven);
  }

  private void account(AccountRequest request, @Nullable Term term) {
    claiming = true;
    ledger.account(
        request,
        reply -> {
          claiming = false;
          accept(reply.state());
          if (reply.kind() == ClaimReply.Kind.CLAIMED) {
            host.telemetry().notRun(spec.name(), request.gaps());
            counters.notRun(request.gaps());
          } else if (reply.kind() == ClaimReply.Kind.FENCED) {
            fenced(term);
          }
          evaluate();
        });
  }

  private void noSlotIsFree(Plan.Due plan, TaskState known) {
    log.info("no slot is free, skipping tick task={} nominal={}", spec.name(), plan.nominal());
    List<Gap> gaps = new ArrayList<>(plan.gaps().get());
    gaps.add(Gap.skipped(plan.nominal(), plan.nominal(), 1, SkipReason.OVERLAP));
    account(new AccountRequest(known, gaps, null), null);
  }

  private void fenced(@Nullable Term term) {
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
    if (onOverlap() == OnOverlap.REPLACE) {
      host.bodies()
          .cancel(run -> run.loop() == this && !run.tick().equals(tick), CancelReason.REPLACED);
    }
    host.rescueSoon(ledger); // the run may have ended in between
  }

  /** Takes a waiting tick if this replica may run it now, or has it recorded as missed. */
  void takeWaiting(TickId tick) {
    TaskState known = state;
    if (known == null || taking || !host.isRunning() || isNoMember()) {
      return;
    }
    if (mode.isExclusive() && isSuperseded()) {
      return; // the replicas whose registration counts take it
    }
    String group = mode.isExclusive() ? leadingGroup() : null;
    Term term = group == null ? null : usableTerm(group);
    if (group != null && term == null) {
      return;
    }
    taking = true;
    OnOverlap overlap = onOverlap() == OnOverlap.ALLOW ? OnOverlap.ALLOW : OnOverlap.WAIT;
    boolean passedOver =
        !tick.isTriggered() && planner.passesOver(tick.nominal(), known, host.now());
    TakeRequest request =
        new TakeRequest(
            ledger.newClaim(),
            tick,
            overlap,
            spec.effect(),
            term == null ? null : term.proof(),
            passedOver ? known.cursor() : null);
    Authority authority = authority(term);
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
              begin(new Claimed(tick, request.claim(), reply.attempt(), due, authority));
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
    List<Gap> gap = List.of(Gap.missed(tick.nominal(), tick.nominal(), 1));
    host.telemetry().notRun(spec.name(), gap);
    counters.notRun(gap);
  }

  private void closeIfRefused(ClaimId claim, ClaimReply reply) {
    if (reply.kind() != ClaimReply.Kind.CLAIMED) {
      open.remove(claim);
    }
  }

  /**
   * Gives back a tick that the ledger takes for running here, by a claim nobody here waits for: a
   * request that got no answer was sent again and refused, and then the first one arrived. Left
   * alone, the tick would run for ever and keep the others from running.
   */
  void giveBackUnknown(Rescue.Held held) {
    if (open.contains(held.claim())) {
      return;
    }
    log.info("granted late to a request that was sent twice, giving it back tick={}", held.tick());
    ledger.report(
        new FinishRequest(
            held.claim(),
            held.tick(),
            new FinishRequest.GivenBack("nobody waited for the claim", false)),
        reply -> {
          accept(reply.state());
          if (reply.state().queued() > 0) {
            host.rescueSoon(ledger);
          }
          evaluate();
        });
  }

  /** The claim is granted: the last look before the body is started. */
  private void begin(Claimed claimed) {
    startTick = null;
    Term term = claimed.term();
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
      report(claimed, new FinishRequest.GivenBack("not started: " + obstacle, false));
      return;
    }
    running++;
    host.bodies().start(this, claimed);
  }

  /** The body was cancelled for its timeout; it may still run. */
  void timedOut(BodyRun run) {
    report(run.claimed(), RunReport.timedOut(run, false, host.now()));
  }

  void bodyEnded(BodyRun run, boolean began, @Nullable Throwable failure) {
    running--;
    report(run.claimed(), RunReport.ended(run, began, failure, host.now()));
  }

  private void report(Claimed claimed, FinishRequest.Report report) {
    ledger.report(
        new FinishRequest(claimed.claim(), claimed.tick(), report),
        reply -> reportAnswered(claimed, report, reply));
  }

  private void reportAnswered(Claimed claimed, FinishRequest.Report report, FinishReply reply) {
    TaskState before = state;
    accept(reply.state());
    boolean bodyRuns = report instanceof FinishRequest.Ended end && !end.bodyEnded();
    if (!bodyRuns) {
      open.remove(claimed.claim());
    }
    if (report instanceof FinishRequest.Ended ended) {
      // A timeout is told when it strikes; that its body ended later is no second outcome.
      boolean told = ended.outcome() == Outcome.TIMED_OUT && ended.bodyEnded();
      if (!reply.recorded()) {
        counters.refusedByFence++;
        host.telemetry().reportRefused(claimed.tick(), ended.outcome());
      } else if (!told) {
        tell(claimed, ended);
        tellFailures(before, reply.state());
      }
    }
    if (reply.state().queued() > 0) {
      host.rescueSoon(ledger);
    }
    evaluate();
  }

  private void tell(Claimed claimed, FinishRequest.Ended ended) {
    counters.ended(ended.outcome(), ended.at());
    Instant startedAt = ended.startedAt();
    Duration duration = startedAt == null ? Duration.ZERO : Duration.between(startedAt, ended.at());
    host.telemetry().ended(claimed.tick(), ended.outcome(), ended.detail(), duration, ended.at());
  }

  private void tellFailures(@Nullable TaskState before, TaskState after) {
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
  private void accept(TaskState other) {
    TaskState known = state;
    if (known == null || !other.cursor().isBefore(known.cursor())) {
      state = other;
    }
  }

  /**
   * A tick that is run to catch up is not skipped because of a run before it: that may be one of a
   * replica that is gone, or have ended without the ledger knowing yet. It is planned anew later.
   */
  private OnOverlap onOverlap(Plan.Due plan) {
    OnOverlap usual = onOverlap();
    boolean waits = usual == OnOverlap.SKIP || usual == OnOverlap.QUEUE_ONE;
    return plan.late() && waits ? OnOverlap.WAIT : usual;
  }

  private OnOverlap onOverlap() {
    boolean backlog = spec.catchUp().maximum() > 1;
    if (spec.schedule().anchor() == Schedule.Anchor.LAST_END) {
      return OnOverlap.WAIT;
    }
    return switch (spec.overlap()) {
      case SKIP -> backlog ? OnOverlap.WAIT : OnOverlap.SKIP;
      case QUEUE_ONE -> backlog ? OnOverlap.WAIT : OnOverlap.QUEUE_ONE;
      case ALLOW -> OnOverlap.ALLOW;
      case CANCEL_PREVIOUS -> OnOverlap.REPLACE;
    };
  }
}
