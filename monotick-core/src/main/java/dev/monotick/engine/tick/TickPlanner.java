package dev.monotick.engine.tick;

import dev.monotick.schedule.Schedule;
import dev.monotick.schedule.internal.Jitter;
import dev.monotick.schedule.internal.StableHash;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.task.Task;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickRecord;
import dev.monotick.work.CatchUp;
import dev.monotick.work.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides from schedule, policies and ledger state what a task should do at a moment. Pure: the
 * same on every replica that knows the same state, so replicas need not talk to agree.
 */
public final class TickPlanner {

  private static final int PAGE = 1000;

  private final Task spec;

  TickPlanner(Task spec) {
    this.spec = spec;
  }

  /**
   * Plans.
   *
   * @param state what the ledger knows
   * @param now the time by the store's clock
   * @param startTick nominal time of the tick that runs at start however late, null if none
   */
  TickPlan plan(SeriesState state, Instant now, @Nullable Instant startTick) {
    if (isPaused(state)) {
      return new TickPlan.Paused(spec.schedule().next(now).orElse(null));
    }
    Instant notBefore = notBefore(state);
    if (spec.schedule().anchor() == Schedule.Anchor.LAST_END) {
      return afterLastEnd(state, now, notBefore);
    }
    Optional<Instant> first = spec.schedule().next(state.cursor());
    if (first.isEmpty()) {
      return new TickPlan.Idle("the schedule has no further tick");
    }
    // Where catch-up wants several ticks they wait for the end of the backoff; else it costs them.
    boolean waits = spec.catchUp().maximum() > 1;
    Optional<Instant> runnable =
        first.get().isBefore(notBefore) && !waits
            ? spec.schedule().next(notBefore.minusNanos(1))
            : first;
    if (runnable.isEmpty()) {
      return new TickPlan.Idle("the schedule has no further tick after the backoff");
    }
    Instant due = due(runnable.get());
    if (due.isBefore(notBefore)) {
      due = notBefore;
    }
    if (due.isAfter(now)) {
      return new TickPlan.Wait(runnable.get(), due);
    }
    return withExcluded(overdue(first.get(), runnable.get(), now, startTick), state.cursor());
  }

  /** Returns when the tick at {@code nominal} is due, jitter included. */
  Instant due(Instant nominal) {
    return spec.jitter().isZero()
        ? nominal
        : Jitter.due(spec.name(), nominal, spec.schedule().next(nominal), spec.jitter());
  }

  /** Says whether the task is paused, by somebody or for its failures. */
  public boolean isPaused(SeriesState state) {
    return state.pause() != null || isPausedForFailures(state);
  }

  public boolean isPausedForFailures(SeriesState state) {
    return spec.pauseAfterFailures() > 0 && state.failures() >= spec.pauseAfterFailures();
  }

  /** Returns the end of the backoff; the distant past if there is none. */
  public Instant notBefore(SeriesState state) {
    Instant failedAt = state.lastFailureAt();
    if (state.failures() == 0 || failedAt == null) {
      return Instant.MIN;
    }
    long hash = StableHash.of(spec.name(), state.failures());
    return failedAt.plus(spec.backoff().delay(state.failures(), hash));
  }

  /** Returns what accounts for all ticks after the cursor up to now, as skipped by a pause. */
  public List<TickRecord.Range> pausedRanges(SeriesState state, Instant now) {
    Schedule schedule = spec.schedule();
    Optional<Instant> first = schedule.next(state.cursor());
    if (schedule.anchor() == Schedule.Anchor.LAST_END
        || first.isEmpty()
        || first.get().isAfter(now)) {
      return List.of();
    }
    Instant last = schedule.previous(now.plusNanos(1)).orElse(first.get());
    return List.of(skipped(first.get(), last, SkipReason.PAUSED));
  }

  private TickPlan afterLastEnd(SeriesState state, Instant now, Instant notBefore) {
    if (state.open() > 0 || state.queued() > 0) {
      return new TickPlan.Idle("a run has not ended");
    }
    Instant earliest = state.cursor().plusMillis(1);
    Instant lastEnd = state.lastEndedAt();
    Instant nominal;
    if (lastEnd == null && spec.runAtStart()) {
      nominal = earliest;
    } else {
      Instant counted =
          spec.schedule().next(lastEnd == null ? state.cursor() : lastEnd).orElse(null);
      if (counted == null) {
        return new TickPlan.Idle("the schedule has no further tick");
      }
      nominal = counted.isBefore(earliest) ? earliest : counted;
    }
    Instant due = nominal.isBefore(notBefore) ? notBefore : due(nominal);
    return due.isAfter(now)
        ? new TickPlan.Wait(nominal, due)
        : new TickPlan.Due(nominal, due, false, List::of);
  }

  /** Adds the times that a calendar took away: nobody missed them, and the ledger should say so. */
  private TickPlan withExcluded(TickPlan plan, Instant cursor) {
    if (plan instanceof TickPlan.Due due) {
      return new TickPlan.Due(
          due.nominal(),
          due.due(),
          due.late(),
          () -> plusExcluded(due.ranges().get(), cursor, due.nominal()));
    }
    if (plan instanceof TickPlan.Account account) {
      return new TickPlan.Account(
          account.latest(), () -> plusExcluded(account.ranges().get(), cursor, account.latest()));
    }
    return plan;
  }

  private List<TickRecord.Range> plusExcluded(
      List<TickRecord.Range> gaps, Instant cursor, Instant until) {
    List<Instant> page = spec.schedule().excluded(cursor.plusNanos(1), until, PAGE);
    if (page.isEmpty()) {
      return gaps;
    }
    Instant first = page.get(0);
    Instant last = first;
    long count = 0;
    while (!page.isEmpty()) {
      last = page.get(page.size() - 1);
      count += page.size();
      page = spec.schedule().excluded(last.plusNanos(1), until, PAGE);
    }
    List<TickRecord.Range> all = new ArrayList<>(gaps);
    all.add(TickRecord.Range.skipped(first, last, count, SkipReason.EXCLUDED));
    all.sort(Comparator.comparing(TickRecord.Range::first));
    return all;
  }

  /** There is at least one tick, {@code runnable}, that is due; {@code first} may be in backoff. */
  private TickPlan overdue(
      Instant first, Instant runnable, Instant now, @Nullable Instant startTick) {
    Instant latest = latestDue(runnable, now);
    Instant chosen = oldestToRun(runnable, latest, now);
    boolean run =
        latest.equals(startTick) || !due(chosen).plus(spec.catchUp().window()).isBefore(now);
    if (run) {
      boolean late = chosen.isAfter(runnable) || isLate(chosen, now);
      return new TickPlan.Due(
          chosen, due(chosen), late, () -> ranges(first, runnable, chosen, null));
    }
    return new TickPlan.Account(latest, () -> ranges(first, runnable, latest, latest));
  }

  /** Says whether catch-up still has a tick run that was planned a while ago. */
  boolean isWanted(Instant nominal, Instant now) {
    if (due(nominal).plus(spec.catchUp().window()).isBefore(now)) {
      return false;
    }
    return spec.schedule().anchor() == Schedule.Anchor.LAST_END
        || oldestToRun(nominal, latestDue(nominal, now), now).equals(nominal);
  }

  /**
   * Returns whether catch-up passes over a tick that waits to be taken. It does if the tick is
   * older than its window, unless the overlap policy lets ticks wait for a run of any length. It
   * also does if newer ticks are overdue and catch-up runs only those.
   *
   * @param state the newest state: with an older cursor ticks look overdue that are not
   */
  boolean passesOver(Instant nominal, SeriesState state, Instant now) {
    boolean waitsForRuns =
        spec.overlap() == Overlap.QUEUE_ONE || spec.overlap() == Overlap.CANCEL_PREVIOUS;
    if (!waitsForRuns && due(nominal).plus(spec.catchUp().window()).isBefore(now)) {
      return true;
    }
    if (spec.schedule().anchor() == Schedule.Anchor.LAST_END) {
      return false;
    }
    Optional<Instant> newer = spec.schedule().next(state.cursor());
    return newer.isPresent()
        && isLate(newer.get(), now)
        && !oldestToRun(nominal, latestDue(newer.get(), now), now).equals(nominal);
  }

  private boolean isLate(Instant nominal, Instant now) {
    return due(nominal).plus(CatchUp.ON_TIME).isBefore(now);
  }

  /** Returns the newest tick that is due, at least {@code runnable}. */
  Instant latestDue(Instant runnable, Instant now) {
    Instant latest = spec.schedule().previous(now.plusNanos(1)).orElse(runnable);
    while (latest.isAfter(runnable) && due(latest).isAfter(now)) {
      latest = spec.schedule().previous(latest).orElse(runnable);
    }
    return latest.isBefore(runnable) ? runnable : latest;
  }

  /** Returns the oldest of the newest ticks that catch-up allows and whose window is not over. */
  private Instant oldestToRun(Instant runnable, Instant latest, Instant now) {
    Instant chosen = latest;
    Instant limit = now.minus(spec.catchUp().window());
    for (int i = 1; i < spec.catchUp().maximum() && chosen.isAfter(runnable); i++) {
      Instant older = spec.schedule().previous(chosen).orElse(runnable);
      if (older.isBefore(runnable) || older.isBefore(limit)) {
        break;
      }
      chosen = older;
    }
    return chosen;
  }

  /** Accounts for [first, runnable) as backoff and for [runnable, until) plus last as missed. */
  private List<TickRecord.Range> ranges(
      Instant first, Instant runnable, Instant until, @Nullable Instant last) {
    List<TickRecord.Range> gaps = new ArrayList<>(2);
    if (first.isBefore(runnable)) {
      Instant end = spec.schedule().previous(runnable).orElse(first);
      gaps.add(skipped(first, end, SkipReason.BACKOFF));
    }
    if (last != null) {
      gaps.add(TickRecord.Range.missed(runnable, last, count(runnable, last)));
    } else if (runnable.isBefore(until)) {
      Instant end = spec.schedule().previous(until).orElse(runnable);
      gaps.add(TickRecord.Range.missed(runnable, end, count(runnable, end)));
    }
    return gaps;
  }

  private TickRecord.Range skipped(Instant first, Instant last, SkipReason reason) {
    return TickRecord.Range.skipped(first, last, count(first, last), reason);
  }

  private long count(Instant first, Instant last) {
    return spec.schedule().count(first, last.plusNanos(1));
  }

  /** Returns how late a tick is. */
  static Duration lateness(Instant due, Instant now) {
    return now.isBefore(due) ? Duration.ZERO : Duration.between(due, now);
  }
}
