package dev.monotick.engine.tick;

import dev.monotick.spi.tick.TickReport;
import dev.monotick.spi.tick.TickReport.Ended;
import dev.monotick.spi.tick.TickReport.GivenBack;
import dev.monotick.spi.tick.TickReport.Report;
import dev.monotick.tick.Outcome;
import dev.monotick.work.Effect;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What the ledger is told of a body: how it ended, or that somebody else may run the tick. */
final class TickReports {

  private static final int LONGEST_DETAIL = 500;

  private static final String NO_TRANSACTION =
      "its effect is TRANSACTIONAL, but the body returned without context.fencedTransaction(..), so"
          + " nothing could commit with the tick";

  private TickReports() {}

  /** The body was cancelled for its timeout; {@code bodyEnded} says whether it obeyed yet. */
  static Ended timedOut(BodyRun run, boolean bodyEnded, Instant now) {
    String detail = "it took longer than " + run.loop().spec().timeout();
    return new Ended(Outcome.TIMED_OUT, detail, run.startedAt, now, bodyEnded);
  }

  /** The body returned, threw, or was not begun. */
  static Report ended(BodyRun run, boolean began, @Nullable Throwable failure, Instant now) {
    if (run.hasCommitted()) { // whatever came after it: the tick succeeded with its transaction
      return new Ended(Outcome.SUCCEEDED, null, run.startedAt, now, true);
    }
    TickCancelReason cancelled = reason(run);
    if (cancelled == TickCancelReason.TIMEOUT) {
      return timedOut(run, true, now);
    }
    if (!began && cancelled != null && cancelled != TickCancelReason.REPLACED) {
      return new GivenBack("not started: " + cancelled.text, false);
    }
    if (began && failure == null && mustCommit(run)) {
      return new Ended(Outcome.FAILED, NO_TRANSACTION, run.startedAt, now, true);
    }
    if (began && failure == null) {
      return new Ended(Outcome.SUCCEEDED, null, run.startedAt, now, true);
    }
    if (cancelled == null) {
      String detail = failure == null ? "not started" : describe(failure);
      return new Ended(Outcome.FAILED, detail, run.startedAt, now, true);
    }
    if (cancelled.mayRunAgain && run.loop().spec().effect() != Effect.AT_MOST_ONCE) {
      return new GivenBack("cancelled: " + cancelled.text, true);
    }
    return new TickReport.Ended(Outcome.CANCELLED, cancelled.text, run.startedAt, now, true);
  }

  private static boolean mustCommit(BodyRun run) {
    return run.loop().spec().effect() == Effect.TRANSACTIONAL && run.loop().mode().isExclusive();
  }

  /**
   * A right to run that ran out cancels without saying so, and sooner than anybody else says it.
   */
  private static @Nullable TickCancelReason reason(BodyRun run) {
    TickCancelReason said = run.cancelReason();
    return said == null && run.isCancelled() ? TickCancelReason.LEADERSHIP_LOST : said;
  }

  /** Returns a line on a failure, whatever its own methods do. */
  static String describe(Throwable failure) {
    String text;
    try {
      text = failure.toString();
    } catch (RuntimeException | Error e) { // it is the body's code, and may fail like the body
      text = failure.getClass().getName();
    }
    return text.length() <= LONGEST_DETAIL ? text : text.substring(0, LONGEST_DETAIL);
  }
}
