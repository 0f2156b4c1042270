package dev.monotick.engine.leader;

import dev.monotick.engine.base.EngineContext;
import dev.monotick.engine.member.LocalLease;
import dev.monotick.engine.send.ResendDelay;
import dev.monotick.engine.thread.EngineThreads;
import dev.monotick.engine.thread.EngineThreads.Cancellable;
import dev.monotick.engine.thread.Result;
import dev.monotick.internal.StoreFailures;
import dev.monotick.leader.Fence;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.schedule.internal.StableHash;
import dev.monotick.spi.leader.Candidacy;
import dev.monotick.spi.leader.LeaderElection;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.tick.LeaderProof;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This replica's part in one leadership group, the same for all backends.
 *
 * <p>As a follower it tries now and then to acquire. As a leader it renews; {@link LocalLease} says
 * how long each acknowledgement may be relied on. A definite "not yours" ends the term at once,
 * silence ends it when its validity does, and neither needs I/O. On the way down the order is:
 * revoke the term, cancel its work (the {@link Owner} does), abandon the lease's connection;
 * listeners run elsewhere. A lease is released only after the work of its term has ended.
 */
public final class Elector {

  private static final Logger log = LoggerFactory.getLogger(Elector.class);

  private final String group;
  private final LeaseTiming timing;
  private final long pollMillis;
  private final Candidacy candidacy;
  private final EngineThreads threads;
  private final TimeSource time;
  private final Owner owner;
  private final ResendDelay retry;
  private final String candidate;
  private @Nullable HeldTerm term;
  private boolean calling;
  private boolean closed;
  private boolean withdrawn;
  private @Nullable Cancellable next;
  private long quietUntil;
  private boolean freedMeanwhile;
  private boolean doubtedMeanwhile;
  private @Nullable Runnable afterCall;
  private long polls;

  /** Who is told of terms, on the loop. */
  public interface Owner {

    /** A term began. */
    void gained(HeldTerm term);

    /** A term is revoked: cancel its work. */
    void revoked(HeldTerm term);

    /** A term is over, and its lease let go: tell those who listen. */
    void lost(HeldTerm term, LossCause cause);
  }

  public Elector(
      String group,
      LeaderElection election,
      LeaseTiming timing,
      EngineContext context,
      Owner owner) {
    this.group = group;
    this.timing = timing;
    this.pollMillis = election.pollInterval(timing).toMillis();
    this.candidacy = election.candidate(group, context.replica(), timing);
    this.threads = context.threads();
    this.time = context.time();
    this.owner = owner;
    this.retry = new ResendDelay(context.replica().hashCode() ^ group.hashCode());
    this.candidate = group + context.replica();
    this.quietUntil = time.nanos();
  }

  public void start() {
    candidacy.whenFreed(() -> threads.execute(this::freed));
    candidacy.whenDoubtful(() -> threads.execute(this::doubted));
    attempt();
  }

  /** Returns the current term, null while this replica does not lead. */
  @Nullable
  public HeldTerm term() {
    return term;
  }

  /** Ends the term if its validity has ended; called at least every 100 ms. */
  public void watch() {
    HeldTerm current = term;
    if (current != null) {
      LossCause cause = current.lease().cause();
      if (cause != null) {
        lose(current, cause);
      }
    }
  }

  /** The ledger refused this term's fence: somebody else leads. */
  public void fenced(HeldTerm stale) {
    if (term == stale) {
      lose(stale, LossCause.NOT_OURS);
    }
  }

  /**
   * Seeks leadership no more, and lets no work begin under a term that is held: this replica stops,
   * and a term it gained now would keep others from the work for as long as that takes.
   */
  public void withdraw() {
    withdrawn = true;
    HeldTerm current = term;
    if (current == null) {
      cancelNext();
    } else {
      current.drain();
    }
  }

  /** Hands over, once the work of the term has ended; tries again only after another could. */
  public void release(Runnable done) {
    HeldTerm current = term;
    if (current == null) {
      if (calling) {
        afterCall(done); // an attempt that succeeds now is given back first
      } else {
        done.run();
      }
      return;
    }
    Fence fence = current.fence();
    revoke(current, LossCause.RELEASED);
    log.info("leadership released {}", current);
    owner.lost(current, LossCause.RELEASED);
    quietUntil = time.nanos() + timing.leaseDuration().toNanos();
    if (calling) {
      afterCall(() -> sendRelease(fence, done)); // one call at a time; the renewal comes back first
    } else {
      sendRelease(fence, done);
    }
  }

  private void sendRelease(Fence fence, Runnable done) {
    calling = true;
    threads.<Boolean>call(
        "release of leadership " + group,
        timing.renewTimeout(),
        () -> {
          candidacy.release(fence);
          return true;
        },
        result -> {
          if (!result.isValue()) {
            log.warn(
                "leadership not released, it will expire group={} cause={}",
                group,
                StoreFailures.describe(result.failure()),
                StoreFailures.trace(result.failure()));
          }
          tryAgainAfter(timing.leaseDuration());
          callEnded();
          done.run();
        });
  }

  /** Stops taking part. A term that is held is revoked and left to expire. */
  public void close() {
    close(LossCause.RELEASED);
  }

  /** Stops taking part, for that cause. A term that is held is revoked and left to expire. */
  public void close(LossCause cause) {
    closed = true;
    cancelNext();
    HeldTerm current = term;
    if (current != null) {
      lose(current, cause);
    }
    candidacy.close();
  }

  private void freed() {
    if (calling) {
      freedMeanwhile = true;
    } else if (term == null && !closed && time.nanos() - quietUntil >= 0) {
      cancelNext();
      attempt();
    }
  }

  private void doubted() {
    if (calling) {
      doubtedMeanwhile = true;
    } else if (term != null) {
      cancelNext();
      renew();
    }
  }

  private void attempt() {
    if (closed || withdrawn || calling || term != null) {
      return;
    }
    calling = true;
    freedMeanwhile = false;
    LocalLease.Sent sent = LocalLease.Sent.now(time);
    threads.call(
        "attempt at leadership " + group,
        timing.renewTimeout(),
        candidacy::tryAcquire,
        result -> attempted(sent, result));
  }

  private void attempted(LocalLease.Sent sent, Result<Optional<Fence>> result) {
    if (withdrawn && !closed && result.isValue() && result.value().isPresent()) {
      sendRelease(result.value().get(), () -> {}); // whoever waits for this call waits for that
      return;
    }
    callEnded();
    if (closed) {
      candidacy.abandon();
      return;
    }
    if (!result.isValue()) {
      // It may have succeeded all the same; a lease we do not know of expires by itself.
      candidacy.abandon();
      Duration wait = retry.failed();
      if (retry.failures() == 1) {
        log.warn(
            "attempt at leadership got no answer group={} cause={}",
            group,
            StoreFailures.describe(result.failure()),
            StoreFailures.trace(result.failure()));
      }
      tryAgainAfter(wait.compareTo(pollInterval()) < 0 ? pollInterval() : wait);
      return;
    }
    retry.succeeded();
    Optional<Fence> fence = result.value();
    if (fence.isEmpty()) {
      if (freedMeanwhile) {
        attempt();
      } else {
        tryAgainAfter(untilNextPoll());
      }
      return;
    }
    HeldTerm gained =
        new HeldTerm(
            new LeaderProof(group, fence.get()), time.now(), new LocalLease(timing, time, sent));
    if (!gained.isValid()) {
      log.warn("leadership came too late to be used {}", gained);
      candidacy.abandon();
      tryAgainAfter(timing.leaseDuration());
      return;
    }
    term = gained;
    log.info("leadership gained {}", gained);
    owner.gained(gained);
    renewAt(sent);
  }

  /** Runs the action when the call that is on its way has ended, after those that wait already. */
  private void afterCall(Runnable action) {
    Runnable earlier = afterCall;
    afterCall =
        earlier == null
            ? action
            : () -> {
              earlier.run();
              if (calling) {
                afterCall(action);
              } else {
                action.run();
              }
            };
  }

  private void callEnded() {
    calling = false;
    Runnable waiting = afterCall;
    if (waiting != null) {
      afterCall = null;
      waiting.run();
    }
  }

  private void renewAt(LocalLease.Sent lastSent) {
    Duration elapsed = Duration.ofNanos(time.nanos() - lastSent.nanos());
    Duration wait = timing.renewInterval().minus(elapsed);
    cancelNext();
    next = threads.schedule(wait.isNegative() ? Duration.ZERO : wait, this::renew);
  }

  private void renew() {
    HeldTerm current = term;
    if (current == null || calling) {
      return;
    }
    watch();
    if (term != current) {
      return;
    }
    calling = true;
    doubtedMeanwhile = false;
    LocalLease.Sent sent = LocalLease.Sent.now(time);
    threads.call(
        "renewal of leadership " + group,
        timing.renewTimeout(),
        () -> candidacy.renew(current.fence()),
        result -> renewed(current, sent, result));
  }

  private void renewed(HeldTerm current, LocalLease.Sent sent, Result<Boolean> result) {
    callEnded();
    if (term != current) {
      return; // a late answer never revives a term
    }
    if (!result.isValue()) {
      if (!retry.isFailing()) { // once, not for each of the retries that the lease leaves room for
        log.warn(
            "renewal got no answer {} validFor={} cause={}",
            current,
            current.validFor(),
            StoreFailures.describe(result.failure()),
            StoreFailures.trace(result.failure()));
      }
      next = threads.schedule(retry.failed(), this::renew);
      watch();
      return;
    }
    retry.succeeded();
    if (!result.value()) {
      lose(current, LossCause.NOT_OURS);
    } else if (!current.lease().renewed(sent)) {
      watch();
    } else if (doubtedMeanwhile) {
      renew(); // it may have been answered before that happened
    } else {
      renewAt(sent);
    }
  }

  private void lose(HeldTerm lost, LossCause cause) {
    revoke(lost, cause);
    candidacy.abandon();
    log.warn("leadership lost {} cause={}", lost, cause);
    owner.lost(lost, cause);
    // Whoever lost it against its will waits until everybody else has had a chance.
    tryAgainAfter(timing.leaseDuration());
  }

  private void revoke(HeldTerm ended, LossCause cause) {
    ended.lease().end(cause);
    term = null;
    cancelNext();
    owner.revoked(ended);
  }

  /** Followers do not ask in step, nor a follower always at the same distance. */
  private Duration pollInterval() {
    long spread = Math.floorMod(StableHash.of(candidate, polls++), 41L) - 20;
    return Duration.ofMillis(Math.max(1, pollMillis + pollMillis * spread / 100));
  }

  /** A silent holder's lease that is about to run out is not left to the next poll. */
  private Duration untilNextPoll() {
    Duration poll = pollInterval();
    return candidacy
        .mayBeFreeIn()
        .map(free -> free.plusMillis(1)) // not a moment too early
        .filter(free -> !free.isNegative() && free.compareTo(poll) < 0)
        .orElse(poll);
  }

  private void tryAgainAfter(Duration wait) {
    if (!closed && !withdrawn) {
      cancelNext();
      next = threads.schedule(wait, this::attempt);
    }
  }

  private void cancelNext() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }
}
