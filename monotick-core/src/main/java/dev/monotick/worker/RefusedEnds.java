package dev.monotick.worker;

import dev.monotick.thread.EngineThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completions that the store refused: it answered, with an error. Each is sent again unchanged and
 * alone, after a growing delay, until the store takes it. What the handler did is done, so no other
 * outcome is ever put in its place: a table or a privilege that is missing may be there again. Used
 * on the loop only.
 */
final class RefusedEnds {

  private static final Logger log = LoggerFactory.getLogger(RefusedEnds.class);

  private static final Duration FIRST_DELAY = Duration.ofMillis(100);
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);
  private static final Duration LOG_EVERY = Duration.ofMinutes(1);

  private final WorkerContext context;
  private final EngineThreads threads;
  private final JobTelemetry telemetry;
  private final Runnable whenDue;
  private final IdentityHashMap<End, Integer> refusals =
      new IdentityHashMap<>(); // how often each was refused
  private final ArrayDeque<End> due = new ArrayDeque<>();
  private final Set<Waiting> waiting = new HashSet<>();
  private @Nullable Instant since;
  private @Nullable Long loggedNanos;

  /** Completions that become due at the same time; compared by identity. */
  private static final class Waiting {

    private final List<End> ends;
    private EngineThreads.Cancellable timer = () -> {};

    Waiting(List<End> ends) {
      this.ends = ends;
    }
  }

  /**
   * Creates it without completions.
   *
   * @param whenDue called when {@link #isDue} becomes true
   */
  RefusedEnds(WorkerContext context, JobTelemetry telemetry, Runnable whenDue) {
    this.context = context;
    this.threads = context.threads();
    this.telemetry = telemetry;
    this.whenDue = whenDue;
  }

  /** Returns how many completions were refused and are not recorded yet. */
  int count() {
    return refusals.size();
  }

  /** Returns whether one of them is to be sent now. */
  boolean isDue() {
    return !due.isEmpty();
  }

  /** Returns the completion to be sent next; there must be one that is due. */
  End next() {
    return due.remove();
  }

  /** Takes completions that the store refused, for the first time or again. */
  void refused(List<End> batch, Throwable failure) {
    if (batch.isEmpty()) {
      return;
    }
    int times = 0;
    for (End end : batch) {
      times = refusals.merge(end, 1, Integer::sum);
    }
    waitFor(batch, delay(times)); // one that was refused before came alone
    if (since == null) {
      since = context.store().now();
    }
    telemetry.refusedEnds(count(), since);
    logNowAndThen(batch.get(0), failure);
  }

  private static Duration delay(int times) {
    long millis = FIRST_DELAY.toMillis() << Math.min(times - 1, 20);
    return Duration.ofMillis(Math.min(millis, LONGEST_DELAY.toMillis()));
  }

  private void waitFor(List<End> batch, Duration delay) {
    Waiting wait = new Waiting(batch);
    waiting.add(wait);
    wait.timer = threads.schedule(delay, () -> becomeDue(wait));
  }

  private void becomeDue(Waiting wait) {
    if (waiting.remove(wait)) {
      due.addAll(wait.ends);
      whenDue.run();
    }
  }

  /** Takes completions that the store answered. */
  void answered(List<End> batch) {
    if (since == null) {
      return; // as nearly always
    }
    int before = count();
    batch.forEach(refusals::remove);
    if (count() == before) {
      return;
    }
    if (refusals.isEmpty()) {
      log.info("the store takes completions again that it refused since={}", since);
      since = null;
    }
    telemetry.refusedEnds(count(), since);
  }

  /** Sends all of them at once: the process may end before their time comes. */
  void hurry() {
    for (Waiting wait : new ArrayList<>(waiting)) {
      wait.timer.cancel();
      becomeDue(wait);
    }
  }

  /**
   * All of them may be refused for the same reason, again and again: that is said once a minute.
   */
  private void logNowAndThen(End end, Throwable failure) {
    long nanos = context.time().nanos();
    boolean isFirst = loggedNanos == null;
    if (loggedNanos != null && nanos - loggedNanos < LOG_EVERY.toNanos()) {
      return;
    }
    loggedNanos = nanos;
    log.error(
        "the store refused completions, they are kept and sent again until it takes them"
            + " replica={} refused={} since={} job={} outcome={} error={}",
        context.replicaName(),
        count(),
        since,
        end.finish().job().id(),
        end.finish().end().getClass().getSimpleName(),
        String.valueOf(failure),
        isFirst ? failure : null); // its stack once
  }
}
