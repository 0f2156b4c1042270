package dev.monotick.internal.ledger;

import static java.util.Objects.requireNonNull;

import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.tick.OverlapRule;
import dev.monotick.spi.tick.SeriesPause;
import dev.monotick.spi.tick.SeriesRegistration;
import dev.monotick.spi.tick.SeriesState;
import dev.monotick.spi.tick.TickAccount;
import dev.monotick.spi.tick.TickClaim;
import dev.monotick.spi.tick.TickClaimId;
import dev.monotick.spi.tick.TickClaimReply;
import dev.monotick.spi.tick.TickClaimReply.Kind;
import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.spi.tick.TickReport.GivenBack;
import dev.monotick.spi.tick.TickReportReply;
import dev.monotick.spi.tick.TickTake;
import dev.monotick.tick.Outcome;
import dev.monotick.tick.SkipReason;
import dev.monotick.tick.TickId;
import dev.monotick.tick.TickRecord;
import dev.monotick.tick.TickRecord.Status;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One task in the ledger. Each method is one atomic step under the lock of this object, which
 * guards all fields and the {@link TickRow}s below them; it is held for a few comparisons, never
 * while foreign code runs, and inside it only the {@link FenceCheck} and the registry are asked,
 * which ask nobody else.
 *
 * <p>A scheduled tick is unique because a claim moves the cursor to it, by a comparison with its
 * old value, and the cursor never moves back. No row needs to be kept for that.
 *
 * <p>Scheduled ticks begin in the order of their nominal times, unless runs may overlap: none is
 * claimed or taken while an older one waits, and none waits again once a newer one was claimed,
 * because the older one occupied the task until then.
 *
 * <p>There may be a hundred thousand of these, so a task at rest has few fields and no collections.
 */
public final class SeriesRow {

  /** A tick that was claimed this often by replicas that died is not given to one more. */
  static final int ATTEMPTS = 3;

  private final String name;
  private final int kept;
  private String schedule;
  private Instant cursor;
  private int failures;
  private @Nullable Instant lastFailureAt;
  private @Nullable Instant lastEndedAt;
  private @Nullable Instant lastSuccessAt;
  private @Nullable SeriesPause pause;
  private @Nullable TickRows rows; // null until the first row

  /**
   * Creates the row of a task that is new.
   *
   * @param kept how many rows that are history are kept
   */
  public SeriesRow(SeriesRegistration registration, int kept) {
    this.name = registration.task();
    this.kept = kept;
    this.schedule = registration.schedule();
    this.cursor = registration.start();
  }

  private SeriesRow(SeriesState state, String schedule, TickRows rows) {
    this.name = state.task();
    this.kept = Integer.MAX_VALUE;
    this.schedule = schedule;
    this.cursor = state.cursor();
    this.failures = state.failures();
    this.lastFailureAt = state.lastFailureAt();
    this.lastEndedAt = state.lastEndedAt();
    this.lastSuccessAt = state.lastSuccessAt();
    this.pause = state.pause();
    this.rows = rows;
  }

  /**
   * Returns a task as a store has it. What is to be stored afterwards are {@link #state}, {@link
   * #schedule} and {@link #images}.
   *
   * @param images all rows that wait or occupy the task, and those of its history that matter to
   *     the next step
   */
  public static SeriesRow restored(
      SeriesState state, String schedule, Collection<TickImage> images) {
    TickRows rows = new TickRows();
    images.forEach(rows::restore);
    return new SeriesRow(state, schedule, rows);
  }

  /** Returns all rows there are, the restored ones and those that were added. */
  public synchronized List<TickImage> images() {
    return rows == null ? List.of() : rows.images(name);
  }

  /** Returns the text of the schedule. */
  public synchronized String schedule() {
    return schedule;
  }

  /** Takes the newest schedule; see {@link dev.monotick.spi.tick.TickLedger#register}. */
  public synchronized SeriesState register(SeriesRegistration registration) {
    if (!schedule.equals(registration.schedule())) {
      schedule = registration.schedule();
      cursor = later(cursor, registration.start());
    }
    return state();
  }

  /** Returns the facts. */
  public synchronized SeriesState state() {
    return new SeriesState(
        name,
        cursor,
        rows == null ? 0 : rows.occupying(),
        rows == null ? 0 : rows.waiting(),
        failures,
        lastFailureAt,
        lastEndedAt,
        lastSuccessAt,
        pause);
  }

  /** See {@link dev.monotick.spi.tick.TickLedger#claim}. */
  public synchronized TickClaimReply claim(TickClaim request, FenceCheck fences, Instant now) {
    TickRows ticks = rows();
    TickRow granted = ticks.running(request.claim(), request.tick());
    if (granted != null) {
      return claimed(granted);
    }
    if (fences.refuses(request.leader())) {
      return reply(Kind.FENCED);
    }
    if (pause != null) {
      return reply(Kind.PAUSED);
    }
    if (isNot(request.seen()) || !request.tick().nominal().isAfter(cursor)) {
      return reply(Kind.MOVED);
    }
    boolean free = request.onOverlap() == OverlapRule.ALLOW || ticks.occupying() == 0;
    boolean mustWait =
        free
            ? isBehind(request.tick(), request.onOverlap())
            : request.onOverlap() == OverlapRule.WAIT;
    if (mustWait) {
      return reply(Kind.BUSY);
    }
    record(request.ranges(), now);
    cursor = request.tick().nominal();
    TickRow row = TickRow.waiting(request.tick());
    if (free) {
      ticks.add(row);
      row.claim(request.claim(), request.onOverlap(), request.effect(), request.leader());
      return claimed(row);
    }
    if (request.onOverlap() == OverlapRule.REPLACE) {
      replace(ticks, now);
    } else if (request.onOverlap() == OverlapRule.SKIP || ticks.waiting() > 0) {
      row.end(Outcome.SKIPPED, SkipReason.OVERLAP, null, now);
      ticks.addOver(row, kept);
      return reply(Kind.SKIPPED);
    }
    ticks.add(row);
    return reply(Kind.QUEUED);
  }

  /** See {@link dev.monotick.spi.tick.TickLedger#take}. */
  public synchronized TickClaimReply take(TickTake request, FenceCheck fences, Instant now) {
    TickRows ticks = rows();
    TickRow granted = ticks.running(request.claim(), request.tick());
    if (granted != null) {
      return claimed(granted);
    }
    if (fences.refuses(request.leader())) {
      return reply(Kind.FENCED);
    }
    if (pause != null && !request.tick().isTriggered()) {
      return reply(Kind.PAUSED);
    }
    TickRow row = ticks.waiting(request.tick());
    // A claim that was given back is spent: its repetition, arriving late, must not be granted,
    // for its caller has done with it.
    if (row == null || row.wasOf(request.claim())) {
      return reply(Kind.MOVED);
    }
    if (request.passedOver() != null && !row.mayHaveBegun()) {
      if (!cursor.equals(request.passedOver())) {
        return reply(Kind.MOVED);
      }
      row.end(Outcome.MISSED, null, "catch-up passed it over", now);
      ticks.retire(row, kept);
      return reply(Kind.MISSED);
    }
    boolean occupied = request.onOverlap() != OverlapRule.ALLOW && ticks.occupying() > 0;
    if (occupied || isBehind(request.tick(), request.onOverlap())) {
      return reply(Kind.BUSY);
    }
    row.claim(request.claim(), request.onOverlap(), request.effect(), request.leader());
    return claimed(row);
  }

  /** See {@link dev.monotick.spi.tick.TickLedger#account}. */
  public synchronized TickClaimReply account(TickAccount request, FenceCheck fences, Instant now) {
    if (fences.refuses(request.leader())) {
      return reply(Kind.FENCED);
    }
    if (pause != null) {
      return reply(Kind.PAUSED);
    }
    if (isNot(request.seen()) || !areAhead(request.ranges())) {
      return reply(Kind.MOVED);
    }
    record(request.ranges(), now);
    return reply(Kind.CLAIMED);
  }

  /** See {@link dev.monotick.spi.tick.TickLedger#report}. */
  public synchronized TickReportReply finish(TickReport request) {
    TickRow row = rows().newestClaim(request.claim(), request.tick());
    boolean recorded = false;
    if (request.report() instanceof Ended ended) {
      recorded =
          row == null
              ? rows().endOf(request.claim(), request.tick()) == ended.outcome() // once more
              : end(row, ended);
    } else if (row != null && request.report() instanceof GivenBack given) {
      recorded = giveBack(row, given);
    }
    return new TickReportReply(recorded, state());
  }

  /** See {@link dev.monotick.spi.tick.TickLedger#pause}. */
  public synchronized SeriesState pause(SeriesPause wanted) {
    if (pause == null) {
      pause = wanted;
    }
    return state();
  }

  /** See {@link dev.monotick.spi.tick.TickLedger#resume}. */
  public synchronized Optional<SeriesState> resume(
      SeriesState seen, List<TickRecord.Range> gaps, Instant now) {
    // The pause is compared too: a repetition that arrives late must not end a later pause.
    boolean otherPause = pause != null && !pause.equals(seen.pause());
    if (otherPause || isNot(seen) || (!gaps.isEmpty() && !areAhead(gaps))) {
      return Optional.empty();
    }
    record(gaps, now);
    pause = null;
    failures = 0;
    lastFailureAt = null;
    return Optional.of(state());
  }

  /** Adds a tick under a key that was not used yet; false if it was. */
  public synchronized boolean trigger(TickId tick, String key) {
    if (!rows().addTrigger(key)) {
      return false;
    }
    awaitTaker(tick);
    return true;
  }

  /** Adds a tick that waits, for callers who know themselves which keys were used. */
  public synchronized void awaitTaker(TickId tick) {
    rows().add(TickRow.waiting(tick));
  }

  /** Returns whether a tick that waits became takeable by this: the others should know. */
  public synchronized boolean rescue(
      MemberId caller, Predicate<MemberId> isGone, Instant now, RescueFindings findings) {
    if (rows == null || rows.live().isEmpty()) {
      return false;
    }
    boolean freed = false;
    for (TickRow row : List.copyOf(rows.live())) {
      TickClaimId claim = row.claim();
      if (claim == null || !row.occupies()) {
        continue;
      }
      if (claim.replica().equals(caller)) { // whoever asks is not dead
        if (row.isCancelAsked()) {
          findings.cancelled(claim);
        }
        if (row.is(Status.RUNNING)) {
          findings.held(claim, row.tick());
        }
      } else if (isGone.test(claim.replica())) {
        orphaned(row, claim, now, findings);
        freed = true;
      }
    }
    boolean takeable = false;
    for (TickRow row : rows.live()) {
      if (isTakeable(row)) {
        findings.waiting(row.tick());
        takeable = true;
      }
    }
    return freed && takeable;
  }

  /** Says whether {@link #rescue} would list a tick that waits. */
  public synchronized boolean hasTakeable() {
    return rows != null && rows.live().stream().anyMatch(this::isTakeable);
  }

  /** Returns the newest rows, newest first. */
  public synchronized List<TickRecord> history(int limit) {
    return rows == null ? List.of() : rows.newestFirst(name, limit);
  }

  // What follows is called with the lock held.

  private boolean isTakeable(TickRow row) {
    return row.is(Status.WAITING)
        && (pause == null || row.tick().isTriggered())
        && !(row.isScheduled() && rows().olderWaits(row.tick()))
        && rows().letOthersRun();
  }

  /** Returns whether a tick must wait for an older one that waits itself. */
  private boolean isBehind(TickId tick, OverlapRule onOverlap) {
    return onOverlap != OverlapRule.ALLOW && !tick.isTriggered() && rows().olderWaits(tick);
  }

  private void replace(TickRows ticks, Instant now) {
    for (TickRow other : List.copyOf(ticks.live())) {
      if (other.occupies()) {
        other.askToCancel();
      } else if (!other.mayHaveBegun()) {
        other.end(Outcome.SKIPPED, SkipReason.OVERLAP, null, now);
        ticks.retire(other, kept);
      } // else "skipped" would be a lie, so it goes on waiting
    }
  }

  private boolean end(TickRow row, Ended ended) {
    if (row.is(Status.RUNNING)) {
      row.started(ended.startedAt());
      row.end(ended.outcome(), null, ended.detail(), ended.at());
      count(ended);
      if (ended.bodyEnded()) {
        free(row, ended.at());
      } else {
        row.bodyStillRuns();
      }
      return true;
    }
    if (row.is(Status.ENDED) && row.occupies() && ended.bodyEnded()) {
      free(row, ended.at()); // the outcome stays: a tick has one
      return true;
    }
    return row.outcome() == ended.outcome(); // the same report once more
  }

  private void count(Ended ended) {
    switch (ended.outcome()) {
      case FAILED, TIMED_OUT -> {
        failures++;
        lastFailureAt = ended.at();
      }
      case SUCCEEDED -> {
        failures = 0;
        lastFailureAt = null;
        lastSuccessAt = later(lastSuccessAt, ended.at());
      }
      default -> {} // no body ran, or nobody knows: it says nothing about the next run
    }
  }

  private boolean giveBack(TickRow row, GivenBack given) {
    if (row.is(Status.RUNNING)) {
      row.waitAgain(given.why(), given.began());
    } else if (row.is(Status.ENDED) && row.occupies()) {
      // It succeeded with its transaction, and its replica was not told; but the body has ended.
      free(row, requireNonNull(row.endedAt()));
    }
    return row.is(Status.WAITING);
  }

  private void orphaned(TickRow row, TickClaimId claim, Instant now, RescueFindings findings) {
    if (row.is(Status.ENDED)) {
      free(row, now);
    } else if (row.mayRunAgain()) {
      row.waitAgain("replica " + claim.replica() + " is gone; the tick may be run again", true);
    } else {
      row.end(
          Outcome.UNKNOWN,
          null,
          "replica " + claim.replica() + " is gone; it is unknown how far the run came",
          now);
      free(row, now);
      findings.unknown(row.toRecord());
    }
  }

  /** Ends the occupation of the task by a row that has its outcome. */
  private void free(TickRow row, Instant at) {
    row.bodyEnded();
    rows().retire(row, kept);
    lastEndedAt = later(lastEndedAt, at); // overlapping runs may be reported in any order
  }

  private void record(List<TickRecord.Range> gaps, Instant now) {
    for (TickRecord.Range gap : gaps) {
      rows().addOver(TickRow.of(name, gap, now), kept);
      cursor = later(cursor, gap.last());
    }
  }

  private boolean areAhead(List<TickRecord.Range> gaps) {
    return gaps.get(0).first().isAfter(cursor);
  }

  private boolean isNot(SeriesState seen) {
    return failures != seen.failures() || !cursor.equals(seen.cursor());
  }

  private TickClaimReply claimed(TickRow row) {
    return new TickClaimReply(Kind.CLAIMED, state(), row.attempt());
  }

  private TickClaimReply reply(Kind kind) {
    return new TickClaimReply(kind, state(), 0);
  }

  private TickRows rows() {
    TickRows result = rows;
    if (result == null) {
      result = new TickRows();
      rows = result;
    }
    return result;
  }

  private static Instant later(@Nullable Instant one, Instant other) {
    return one == null || one.isBefore(other) ? other : one;
  }
}
