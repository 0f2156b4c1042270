package dev.monotick.examples.demo;

import dev.monotick.event.MonotickEvent;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.spi.time.Ticker;
import dev.monotick.tick.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Puts into words what the engines tell, and measures takeovers. Thread-safe. */
final class Narrator {

  private final EventLog log;
  private final Ticker ticker;
  private @Nullable Disturbance disturbance;
  private int takeovers;

  /** A leader that was stopped or cut off, and when. */
  private record Disturbance(String leader, String what, long nanos) {}

  Narrator(EventLog log, Ticker ticker) {
    this.log = log;
    this.ticker = ticker;
  }

  /** Says that somebody is about to disturb the leader: the takeover counts from here. */
  synchronized void disturbed(String leader, String what) {
    disturbance = new Disturbance(leader, what, ticker.read());
  }

  /** Returns how many takeovers there were. */
  synchronized int takeovers() {
    return takeovers;
  }

  /** Takes an event of a replica. */
  void on(String replica, MonotickEvent event) {
    if (event instanceof MonotickEvent.LeadershipGained gained) {
      gained(replica, gained.term());
    } else if (event instanceof MonotickEvent.LeadershipLost lost) {
      log.add(replica + " " + describe(lost.cause()) + ", fence " + lost.term().fence());
    } else if (event instanceof MonotickEvent.TaskBackingOff off) {
      log.add(
          off.task()
              + " failed on "
              + replica
              + ", backing off (failures: "
              + off.failures()
              + ")");
    } else if (event instanceof MonotickEvent.TicksNotRun not
        && not.range().outcome() == Outcome.MISSED) {
      log.add(not.task() + ": " + not.range().count() + " missed, noted by " + replica);
    } else if (event instanceof MonotickEvent.TickEnded ended && isWorthALine(ended.outcome())) {
      log.add(ended.tick().task() + " " + ended.outcome() + ", says " + replica);
    } else if (event instanceof MonotickEvent.ReportRefused refused) {
      log.add(replica + " reported " + refused.tick().task() + " too late: refused");
    } else if (event instanceof MonotickEvent.BodyStuck stuck) {
      log.add(stuck.tick().task() + " ignores its cancellation on " + replica);
    }
  }

  private synchronized void gained(String replica, LeaderTerm term) {
    String line = replica + " leads, fence " + term.fence();
    Disturbance last = disturbance;
    if (last != null) {
      Duration took = Duration.ofNanos(ticker.read() - last.nanos);
      if (!replica.equals(last.leader)) {
        takeovers++;
        line += ": took over " + took.toMillis() + " ms after " + last.leader + last.what;
      }
      disturbance = null;
    }
    log.add(line);
  }

  private static boolean isWorthALine(Outcome outcome) {
    return outcome == Outcome.UNKNOWN
        || outcome == Outcome.CANCELLED
        || outcome == Outcome.TIMED_OUT;
  }

  private static String describe(LossCause cause) {
    return switch (cause) {
      case RELEASED -> "gave up leadership";
      case EXPIRED -> "no longer leads: no renewal in time";
      case NOT_OURS -> "no longer leads: the store says so";
      case CLOCKS_DISAGREE -> "no longer leads: its clocks disagree";
    };
  }
}
