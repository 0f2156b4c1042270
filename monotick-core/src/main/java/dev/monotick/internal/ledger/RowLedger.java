package dev.monotick.internal.ledger;

import dev.monotick.leader.Fence;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickLedger;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.spi.tick.TickRescue;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.spi.time.TimeSource;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.Effect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A ledger in the memory of this process: that of the in-memory store, and of ticks that each
 * replica has for itself. Finds the tasks and notifies the listeners; what is atomic happens in
 * {@link SeriesRow}, task by task, so that tasks do not wait for each other.
 *
 * <p>Requests are checked before the first of them is carried out: a caller's mistake changes
 * nothing.
 */
public final class RowLedger implements TickLedger {

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
  private final Predicate<MemberId> isGone;
  private final Fences fences = new Fences();
  private final ConcurrentMap<String, SeriesRow> tasks = new ConcurrentHashMap<>();
  private final List<Runnable> waiting = new CopyOnWriteArrayList<>();

  /**
   * Creates an empty ledger.
   *
   * @param historyPerTask how many ended rows of each task are kept
   * @param isGone tests whether a replica is no member any more, so that its claims may be taken
   */
  public RowLedger(TimeSource time, int historyPerTask, Predicate<MemberId> isGone) {
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
  public Fence mintFence(String group, MemberId holder) {
    return fences.mint(group);
  }

  @Override
  public List<SeriesState> register(List<SeriesRegistration> registrations) {
    List<SeriesState> states = new ArrayList<>(registrations.size());
    for (SeriesRegistration registration : registrations) {
      states.add(
          tasks
              .computeIfAbsent(
                  registration.task(), name -> new SeriesRow(registration, historyPerTask))
              .register(registration));
    }
    return states;
  }

  @Override
  public List<SeriesState> states(Collection<String> names) {
    List<SeriesState> states = new ArrayList<>(names.size());
    for (String name : names) {
      SeriesRow row = tasks.get(name);
      if (row != null) {
        states.add(row.state());
      }
    }
    return states;
  }

  @Override
  public List<TickClaimReply> claim(List<TickClaim> requests) {
    requests.forEach(request -> requireEffect(request.effect()));
    Instant now = now();
    return each(
        requests,
        request -> request.tick().task(),
        (row, request) -> row.claim(request, fences, now));
  }

  @Override
  public List<TickClaimReply> take(List<TickTake> requests) {
    requests.forEach(request -> requireEffect(request.effect()));
    Instant now = now();
    return each(
        requests,
        request -> request.tick().task(),
        (row, request) -> row.take(request, fences, now));
  }

  @Override
  public List<TickClaimReply> account(List<TickAccount> requests) {
    Instant now = now();
    return each(
        requests,
        request -> request.seen().task(),
        (row, request) -> row.account(request, fences, now));
  }

  @Override
  public List<TickReportReply> report(List<TickReport> requests) {
    requests.forEach(RowLedger::requireReportable);
    List<TickReportReply> replies =
        each(requests, request -> request.tick().task(), (row, request) -> row.finish(request));
    notifyIfWaiting(requests.stream().map(request -> request.tick().task()).toList());
    return replies;
  }

  @Override
  public SeriesState pause(String task, SeriesPause pause) {
    return row(task).pause(pause);
  }

  @Override
  public Optional<SeriesState> resume(SeriesState seen, List<TickRecord.Range> gaps) {
    Optional<SeriesState> state = row(seen.task()).resume(seen, List.copyOf(gaps), now());
    notifyIfWaiting(List.of(seen.task()));
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
    notifyIfWaiting(List.of(tick.task()));
    return added;
  }

  @Override
  public TickRescue rescue(MemberId replica, Collection<String> names) {
    Instant now = now();
    RescueFindings findings = new RescueFindings();
    boolean freed = false;
    for (String name : names) {
      SeriesRow row = tasks.get(name);
      if (row != null) {
        freed |= row.rescue(replica, isGone, now, findings);
      }
    }
    if (freed) {
      waiting.forEach(Runnable::run);
    }
    return findings.toRescue();
  }

  @Override
  public void onWaiting(Runnable listener) {
    waiting.add(listener);
  }

  @Override
  public List<TickRecord> history(String task, int limit) {
    SeriesRow row = tasks.get(task);
    return row == null ? List.of() : row.history(limit);
  }

  private <Q, A> List<A> each(
      List<Q> requests, Function<Q, String> task, BiFunction<SeriesRow, Q, A> step) {
    List<SeriesRow> rows = new ArrayList<>(requests.size());
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
  private void notifyIfWaiting(List<String> names) {
    for (String name : names) {
      if (row(name).hasTakeable()) {
        waiting.forEach(Runnable::run);
        return;
      }
    }
  }

  private SeriesRow row(String task) {
    @Nullable SeriesRow row = tasks.get(task);
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

  private static void requireReportable(TickReport request) {
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
