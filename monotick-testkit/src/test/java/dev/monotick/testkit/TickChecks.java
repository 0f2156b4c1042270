package dev.monotick.testkit;

import dev.monotick.engine.thread.Result;
import dev.monotick.leader.Fence;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.task.TaskContext;
import dev.monotick.testkit.Machine.Life;
import dev.monotick.testkit.SimulationPlan.TaskPlan;
import dev.monotick.tick.TickId;
import dev.monotick.work.Effect;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I3, I4, I6, I8, I9 and I11 to I14, from what bodies do and from what crosses the wire. Plays the
 * sink as well, which takes effects and refuses those of an older fence.
 */
final class TickChecks {

  private static final Duration EARLIEST = Duration.ofMillis(60);

  private final Simulation simulation;
  private final Findings findings;
  private final Map<String, State> tasks = new HashMap<>();
  private final Map<TickId, Track> tracks = new HashMap<>();
  private final Set<TickClaimId> granted = new HashSet<>();
  private final Set<Confirmed> confirmed = new HashSet<>();
  private final IdentityHashMap<Object, List<TickId>> answers = new IdentityHashMap<>();
  private final Set<Local> local = new HashSet<>();
  private final List<Running> running = new ArrayList<>();
  private @Nullable Fence newestEffect;

  /** What is known of a task. */
  private static final class State {
    final TaskPlan plan;
    boolean paused;
    @Nullable Instant begin;
    Instant newest = Instant.MIN;
    Instant newestBegun = Instant.MIN;

    State(TaskPlan plan) {
      this.plan = plan;
    }
  }

  /** What became of a tick. */
  static final class Track {
    int starts;
    long attempts;
    int transactions;
  }

  /** That a process was told that an attempt at a tick is its own. */
  private record Confirmed(TickId tick, int attempt, int process) {}

  private record Local(TickId tick, int process) {}

  /** A body that runs. */
  record Running(State state, TickId tick, Life process, int membership, @Nullable Fence fence) {}

  TickChecks(Simulation simulation) {
    this.simulation = simulation;
    this.findings = simulation.findings();
    simulation.plan().tasks.forEach(plan -> tasks.put(plan.name(), new State(plan)));
  }

  void registered(SeriesRegistration registration) {
    State state = state(registration.task());
    if (state.begin == null) {
      state.begin = registration.start();
    }
  }

  /** Returns after which moment the ticks of a task count; null if it never was known. */
  @Nullable Instant begin(String task) {
    return state(task).begin;
  }

  Track track(TickId tick) {
    return tracks.computeIfAbsent(tick, fresh -> new Track());
  }

  // What crosses the wire.

  void claimed(Life process, TickClaim request, TickClaimReply reply) {
    State state = state(request.tick().task());
    if (reply.kind() == Kind.FENCED) {
      findings.see(Seen.FENCED_BY_LEDGER);
    }
    boolean fresh = reply.kind() == Kind.CLAIMED && granted.add(request.claim());
    Instant nominal = request.tick().nominal();
    if (fresh) {
      findings.require(
          nominal.isAfter(state.newest),
          "I12",
          () -> request.tick() + " was claimed after " + state.newest);
      findings.require(
          nominal.toEpochMilli() % state.plan.period().toMillis() == 0,
          "I11",
          () -> request.tick() + " is no time of its schedule");
      findings.require(
          !nominal.isAfter(simulation.now().plus(EARLIEST)),
          "I11",
          () -> request.tick() + " was claimed before its time");
      findings.require(
          !state.paused, "I9", () -> request.tick() + " was claimed although it is paused");
      fresh(process, request.tick(), request.leader());
    }
    boolean moved =
        reply.kind() == Kind.CLAIMED || reply.kind() == Kind.SKIPPED || reply.kind() == Kind.QUEUED;
    if (moved && nominal.isAfter(state.newest)) {
      state.newest = nominal;
    }
  }

  void taken(Life process, TickTake request, TickClaimReply reply) {
    if (reply.kind() == Kind.FENCED) {
      findings.see(Seen.FENCED_BY_LEDGER);
    }
    if (reply.kind() == Kind.MISSED) {
      findings.see(Seen.TICKS_PASSED_OVER);
    }
    if (reply.kind() == Kind.CLAIMED && granted.add(request.claim())) {
      findings.require(
          !state(request.tick().task()).paused || request.tick().isTriggered(),
          "I9",
          () -> request.tick() + " was taken although it is paused");
      fresh(process, request.tick(), request.leader());
    }
  }

  private void fresh(Life process, TickId tick, @Nullable LeaderProof leader) {
    findings.note(tick.hashCode(), process.number);
    findings.require(
        leader == null || !simulation.leaders().isStale(leader.fence()),
        "I4",
        () -> process + " was given " + tick + " under a fence that is not the newest: " + leader);
  }

  void accounted(TickAccount request, TickClaimReply reply) {
    State state = state(request.seen().task());
    if (reply.kind() == Kind.CLAIMED) {
      findings.require(
          !state.paused, "I9", () -> "ticks were accounted for while paused: " + request);
      findings.require(
          request.leader() == null || !simulation.leaders().isStale(request.leader().fence()),
          "I4",
          () -> "ticks were accounted for under a fence that is not the newest: " + request);
    }
  }

  /** Remembers what a list of replies answers, until it is delivered. */
  void answers(List<TickClaimReply> replies, List<TickId> ticks) {
    answers.put(replies, ticks);
  }

  void delivered(Life process, Call call, Result<?> result) {
    if ((call != Call.CLAIM && call != Call.TAKE) || !result.isValue()) {
      return;
    }
    List<TickId> ticks = answers.remove(result.value());
    if (ticks != null) {
      List<?> replies = (List<?>) result.value();
      for (int i = 0; i < ticks.size(); i++) {
        TickClaimReply reply = (TickClaimReply) replies.get(i);
        if (reply.kind() == Kind.CLAIMED) {
          confirmed.add(new Confirmed(ticks.get(i), reply.attempt(), process.number));
        }
      }
    }
  }

  // What bodies do.

  Running started(Life process, TaskPlan plan, TaskContext context) {
    State state = state(plan.name());
    TickId tick = context.tick();
    findings.see(Seen.TICKS_RUN);
    findings.note(tick.hashCode(), process.number);
    findings.trace(() -> process + " runs " + tick + " attempt " + context.attempt());
    int membership = process.standing.membership();
    Running begun = new Running(state, tick, process, membership, context.fence().orElse(null));
    if (plan.mode().isExclusive()) {
      exclusive(begun, context);
    } else {
      findings.require(
          local.add(new Local(tick, process.number)),
          "I3",
          () -> tick + " ran twice on " + process);
    }
    running.add(begun);
    return begun;
  }

  private void exclusive(Running begun, TaskContext context) {
    TaskPlan plan = begun.state().plan;
    Life process = begun.process();
    TickId tick = begun.tick();
    findings.require(
        confirmed.remove(new Confirmed(tick, context.attempt(), process.number)),
        "I13",
        () -> process + " runs " + tick + " without having been told that it is its own");
    findings.require(
        process.standing.isMember(),
        "I6",
        () -> process + " begins " + tick + " when it is not proven to live");
    context
        .fence()
        .ifPresent(
            fence ->
                findings.require(
                    process.standing.holds(fence),
                    "I6",
                    () -> process + " begins " + tick + " when its term " + fence + " is over"));
    Track track = track(tick);
    track.starts++;
    boolean again = (track.attempts & (1L << context.attempt())) != 0;
    track.attempts |= 1L << context.attempt();
    if (track.starts > 1) {
      findings.see(Seen.TICKS_REPEATED);
    }
    findings.require(
        !again && (track.starts == 1 || plan.effect() != Effect.AT_MOST_ONCE),
        "I3",
        () -> tick + " began again, attempt " + context.attempt() + " of " + plan);
    if (plan.overlap() != Overlap.ALLOW && simulation.ratesAreWithinBound()) {
      for (Running other : running) {
        findings.require(
            other.state() != begun.state() || !other.process().isStill(other.membership()),
            "I8",
            () -> tick + " runs beside " + other.tick() + ": " + plan);
      }
      inOrder(begun);
    }
  }

  /** A tick that runs again comes before newer ones, as it did the first time. */
  private void inOrder(Running begun) {
    if (begun.tick().isTriggered()) {
      return;
    }
    State state = begun.state();
    Instant before = state.newestBegun;
    findings.require(
        !begun.tick().nominal().isBefore(before),
        "I14",
        () -> begun.tick() + " began after the tick of " + before + ": " + state.plan);
    state.newestBegun = before.isBefore(begun.tick().nominal()) ? begun.tick().nominal() : before;
  }

  /** The effect of a body arrives at the sink, which knows of fences and of nothing else. */
  void effect(TickId tick, @Nullable Fence fence) {
    Fence known = newestEffect;
    if (fence == null || known == null || !known.isNewerThan(fence)) {
      newestEffect = fence == null ? known : fence;
      findings.note(tick.hashCode(), 1);
    } else {
      findings.see(Seen.REFUSED_BY_SINK);
    }
  }

  /** The work of a body committed with its tick. */
  void transacted(Life process, TickId tick) {
    findings.see(Seen.TRANSACTIONS);
    Track track = track(tick);
    track.transactions++;
    findings.require(
        track.transactions == 1, "I3", () -> tick + " committed once more, by " + process);
  }

  void ended(Running body) {
    running.remove(body);
  }

  void killed(Life process) {
    running.removeIf(body -> body.process() == process);
  }

  /** Says whether work of that term is running there. */
  boolean runsIn(Life process, Fence term) {
    return running.stream()
        .anyMatch(body -> body.process() == process && term.equals(body.fence()));
  }

  /** Somebody was told that a task is paused, or is about to resume it. */
  void paused(String task, boolean paused) {
    state(task).paused = paused;
  }

  boolean isPaused(String task) {
    return state(task).paused;
  }

  private State state(String task) {
    State state = tasks.get(task);
    if (state == null) {
      throw new IllegalStateException("unknown task " + task);
    }
    return state;
  }
}
