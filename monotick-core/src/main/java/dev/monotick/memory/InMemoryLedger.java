package dev.monotick.memory;

import dev.monotick.leader.Fence;
import dev.monotick.ledger.AccountRequest;
import dev.monotick.ledger.ClaimReply;
import dev.monotick.ledger.ClaimRequest;
import dev.monotick.ledger.FinishReply;
import dev.monotick.ledger.FinishRequest;
import dev.monotick.ledger.FinishRequest.Ended;
import dev.monotick.ledger.Gap;
import dev.monotick.ledger.Ledger;
import dev.monotick.ledger.Outcome;
import dev.monotick.ledger.Pause;
import dev.monotick.ledger.Rescue;
import dev.monotick.ledger.TakeRequest;
import dev.monotick.ledger.TaskRegistration;
import dev.monotick.ledger.TaskState;
import dev.monotick.ledger.TickId;
import dev.monotick.ledger.TickRecord;
import dev.monotick.ledger.internal.RescueFindings;
import dev.monotick.ledger.internal.TaskRow;
import dev.monotick.replica.ReplicaId;
import dev.monotick.task.Effect;
import dev.monotick.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of an {@link InMemoryStore}. Finds the tasks and tells the listeners; what is atomic
 * happens in {@link TaskRow}, task by task, so that tasks do not wait for each other.
 *
 * <p>Requests are checked before the first of them is carried out: a caller's mistake changes
 * nothing.
 */
final class InMemoryLedger implements Ledger {

  private static final Set<Effect> EFFECTS = Set.of(Effect.AT_MOST_ONCE, Effect.AT_LEAST_ONCE);
  private static final Set<Outcome> REPORTABLE =
      Set.copyOf(
          EnumSet.of(
              Outcome.SUCCEEDED,
              Outcome.FAILED,
              Outcome.TIMED_OUT,
              Outcome.CANCELLED,
              Outcome.MISSED));

  private final TimeSource time;
  private final int historyPerTask;
  private final Predicate<ReplicaId> isGone;
  private final Fences fences = new Fences();
  private final ConcurrentMap<String, TaskRow> tasks = new ConcurrentHashMap<>();
  private final Listeners waiting = new Listeners();

  InMemoryLedger(TimeSource time, int historyPerTask, Predicate<ReplicaId> isGone) {
    this.time = time;
    this.historyPerTask = historyPerTask;
    this.isGone = isGone;
  }

  @Override
  public Instant now() {
    return time.now();
  }

  @Override
  public boolean isImmediate() {
    return true;
  }

  @Override
  public Set<Effect> effects() {
    return EFFECTS;
  }

  @Override
  public Fence mintFence(String group, ReplicaId holder) {
    return fences.mint(group);
  }

  @Override
  public List<TaskState> register(List<TaskRegistration> registrations) {
    List<TaskState> states = new ArrayList<>(registrations.size());
    for (TaskRegistration registration : registrations) {
      states.add(
          tasks
              .computeIfAbsent(
                  registration.task(), name -> new TaskRow(registration, historyPerTask))
              .register(registration));
    }
    return states;
  }

  @Override
  public List<TaskState> states(Collection<String> names) {
    List<TaskState> states = new ArrayList<>(names.size());
    for (String name : names) {
      TaskRow row = tasks.get(name);
      if (row != null) {
        states.add(row.state());
      }
    }
    return states;
  }

  @Override
  public List<ClaimReply> claim(List<ClaimRequest> requests) {
    requests.forEach(request -> requireEffect(request.effect()));
    Instant now = now();
    return each(
        requests,
        request -> request.tick().task(),
        (row, request) -> row.claim(request, fences, now));
  }

  @Override
  public List<ClaimReply> take(List<TakeRequest> requests) {
    requests.forEach(request -> requireEffect(request.effect()));
    Instant now = now();
    return each(
        requests,
        request -> request.tick().task(),
        (row, request) -> row.take(request, fences, now));
  }

  @Override
  public List<ClaimReply> account(List<AccountRequest> requests) {
    Instant now = now();
    return each(
        requests,
        request -> request.seen().task(),
        (row, request) -> row.account(request, fences, now));
  }

  @Override
  public List<FinishReply> finish(List<FinishRequest> requests) {
    requests.forEach(InMemoryLedger::requireReportable);
    List<FinishReply> replies =
        each(requests, request -> request.tick().task(), (row, request) -> row.finish(request));
    tellIfTakeable(requests.stream().map(request -> request.tick().task()).toList());
    return replies;
  }

  @Override
  public TaskState pause(String task, Pause pause) {
    return row(task).pause(pause);
  }

  @Override
  public Optional<TaskState> resume(TaskState seen, List<Gap> gaps) {
    Optional<TaskState> state = row(seen.task()).resume(seen, List.copyOf(gaps), now());
    tellIfTakeable(List.of(seen.task()));
    return state;
  }

  @Override
  public boolean trigger(TickId tick) {
    String key = tick.trigger();
    if (key == null) {
      throw new IllegalArgumentException(
          "tick " + tick + " belongs to the schedule; use TickId.triggered(..) with a key");
    }
    boolean added = row(tick.task()).trigger(tick, key);
    tellIfTakeable(List.of(tick.task()));
    return added;
  }

  @Override
  public Rescue rescue(ReplicaId replica, Collection<String> names) {
    Instant now = now();
    RescueFindings findings = new RescueFindings();
    boolean freed = false;
    for (String name : names) {
      TaskRow row = tasks.get(name);
      if (row != null) {
        freed |= row.rescue(replica, isGone, now, findings);
      }
    }
    if (freed) {
      waiting.tell();
    }
    return findings.toRescue();
  }

  @Override
  public void whenWaiting(Runnable listener) {
    waiting.add(listener);
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    TaskRow row = tasks.get(task);
    return row == null ? List.of() : row.history(limit);
  }

  private <Q, A> List<A> each(
      List<Q> requests, Function<Q, String> task, BiFunction<TaskRow, Q, A> step) {
    List<TaskRow> rows = new ArrayList<>(requests.size());
    for (Q request : requests) {
      rows.add(row(task.apply(request)));
    }
    List<A> replies = new ArrayList<>(requests.size());
    for (int i = 0; i < rows.size(); i++) {
      replies.add(step.apply(rows.get(i), requests.get(i)));
    }
    return replies;
  }

  /** Looks again, after the step and outside of its lock: what is told is a hint anyway. */
  private void tellIfTakeable(List<String> names) {
    for (String name : names) {
      if (row(name).hasTakeable()) {
        waiting.tell();
        return;
      }
    }
  }

  private TaskRow row(String task) {
    @Nullable TaskRow row = tasks.get(task);
    if (row == null) {
      throw new IllegalArgumentException(
          "task " + task + " is not known to this ledger; register it first");
    }
    return row;
  }

  private static void requireEffect(Effect effect) {
    if (!EFFECTS.contains(effect)) {
      throw new IllegalArgumentException(
          "effect "
              + effect
              + " is not among those of the in-memory ledger, "
              + EFFECTS
              + "; use another effect or another store");
    }
  }

  private static void requireReportable(FinishRequest request) {
    if (request.report() instanceof Ended ended && !REPORTABLE.contains(ended.outcome())) {
      throw new IllegalArgumentException(
          "claim "
              + request.claim()
              + " cannot be reported as "
              + ended.outcome()
              + "; use one of "
              + REPORTABLE);
    }
  }
}
