package dev.monotick.chaos.replica;

import dev.monotick.chaos.history.HistoryEvent;
import dev.monotick.chaos.history.HistoryWriter;
import dev.monotick.leader.LeaderTerm;
import dev.monotick.leader.LeadershipListener;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Tells when this replica led, in a way that can be held against it.
 *
 * <p>What a listener is told comes late by as much as a scheduler likes, which proves nothing about
 * two terms that follow each other closely. So the term itself is asked, many times a second, with
 * the clock read <em>before</em> the question: if the term was valid then, it was valid at that
 * reading, for a term that is over stays over. And {@code reading + validFor} is never later than
 * what the term relies on. Both are told ({@code trust}); whoever finds that they overlap with
 * another replica's has found a real overlap.
 */
final class TermHistoryWriter implements LeadershipListener {

  private static final long PERIOD_NANOS = 5_000_000;
  private static final long WORTH_WRITING_NANOS = 20_000_000;

  private final HistoryWriter teller;
  private final double rate;
  private @Nullable LeaderTerm term; // guarded by this
  private long lastValid; // guarded by this
  private long writtenUntil; // guarded by this

  /**
   * Creates one.
   *
   * @param rate how fast the clock runs by which terms are measured
   */
  TermHistoryWriter(HistoryWriter teller, double rate) {
    this.teller = teller;
    this.rate = rate;
  }

  void start() {
    Thread thread =
        new Thread(
            () -> {
              while (true) {
                check();
                LockSupport.parkNanos(PERIOD_NANOS);
              }
            },
            "term-watch");
    thread.setDaemon(true);
    thread.start();
  }

  /** Tells what may be relied on now, if that is worth telling. */
  synchronized void check() {
    LeaderTerm current = term;
    if (current == null) {
      return;
    }
    long before = System.nanoTime();
    Duration validFor = current.validFor();
    if (validFor.isZero() || validFor.isNegative()) {
      return;
    }
    long until = before + (long) (validFor.toNanos() / rate);
    if (lastValid == 0 || until - writtenUntil > WORTH_WRITING_NANOS) {
      writtenUntil = until;
      teller.write(
          HistoryEvent.at(
              before, "trust", "fence", current.fence(), "until", Long.toString(until)));
    }
    lastValid = before;
  }

  @Override
  public synchronized void gained(LeaderTerm gained) {
    term = gained;
    lastValid = 0;
    teller.write("gained", "group", gained.group(), "fence", gained.fence());
    check();
  }

  @Override
  public synchronized void lost(LeaderTerm lost, LossCause cause) {
    teller.write(
        "lost", "group", lost.group(), "fence", lost.fence(), "cause", cause, "valid", lastValid);
    if (term == lost) {
      term = null;
    }
  }
}
