package dev.monotick.engine.member;

import dev.monotick.engine.base.EngineContext;
import dev.monotick.engine.send.ResendDelay;
import dev.monotick.engine.thread.Result;
import dev.monotick.error.JoinRefusedException;
import dev.monotick.internal.StoreFailures;
import dev.monotick.leader.LeadershipListener.LossCause;
import dev.monotick.spi.replica.JoinPendingException;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This replica's place among those that share the store: joins, proves that it lives, and joins
 * again, under another id, when it was declared gone. While it is not proven to live it claims
 * nothing, because others may take what it claimed.
 *
 * <p>A membership is an identity. Once it is lost, locally or in the store, its id is never used
 * again; see {@link MemberId}.
 */
public final class Membership {

  private static final Logger log = LoggerFactory.getLogger(Membership.class);

  private final MemberRegistry registry;
  private final LeaseTiming timing;
  private final EngineContext context;
  private final TimeSource time;
  private final Supplier<MemberInfo> self;
  private final Owner owner;
  private final ResendDelay retry;
  private final boolean alone;
  private final Set<MemberId> former = new LinkedHashSet<>(); // may still count as alive
  private volatile @Nullable Held held; // written on the loop, asked anywhere
  private List<MemberInfo> live = List.of();
  private boolean closed;

  /** An id, and the proof that it is a member. */
  private record Held(MemberId id, LocalLease lease) {}

  /** Who is told, on the loop. */
  public interface Owner {

    /** The replica is a member, newly or again. */
    void joined();

    /** It was just proven that the replica lives; time to see to what others left. */
    void heartbeatRecorded();

    /** The replica is not proven to live: what it runs for the cluster must stop. */
    void membershipLost(LossCause cause);

    /** The store refuses this replica for good. */
    void refused(JoinRefusedException refusal);
  }

  public Membership(
      MemberRegistry registry,
      EngineContext context,
      Supplier<MemberInfo> self,
      boolean alone,
      Owner owner) {
    this.registry = registry;
    this.timing = registry.timing();
    this.context = context;
    this.time = context.time();
    this.self = self;
    this.alone = alone;
    this.owner = owner;
    this.retry = new ResendDelay(context.replica().hashCode());
  }

  /** Joins; {@code first} gets the first result, whatever it is. */
  public void start(Consumer<Result<Boolean>> first) {
    join(first);
  }

  /** Returns the proof of membership, null while there is none. */
  @Nullable
  public LocalLease lease() {
    Held current = held;
    return current == null ? null : current.lease;
  }

  public boolean isValid() {
    Held current = held;
    return current != null && current.lease.isValid();
  }

  /** Returns whether that id is the one under which this process is a member now. On any thread. */
  public boolean isHeldBy(MemberId id) {
    Held current = held;
    return current != null && current.id.equals(id) && current.lease.isValid();
  }

  /** Returns the replicas that lived when it was last asked. */
  public List<MemberInfo> live() {
    return live;
  }

  /** Tells the others what this replica can run now. */
  public void update() {
    if (held != null) {
      MemberInfo info = self.get();
      // A hint for the others: if it is lost, the next change or join repairs it.
      context
          .threads()
          .<Boolean>call(
              "update of the replica",
              timing.renewTimeout(),
              () -> {
                registry.update(info);
                return true;
              },
              result -> {
                if (!result.isValue()) {
                  context.threads().schedule(timing.renewInterval(), this::update);
                }
              });
    }
  }

  public void watch() {
    Held current = held;
    if (current != null) {
      LossCause cause = current.lease.cause();
      if (cause != null) {
        lost(cause);
      }
    }
  }

  /** Leaves: at once if nothing of this replica is open, else by silence. */
  public void close(boolean leave, Runnable done) {
    closed = true;
    Held last = held;
    held = null;
    if (last == null || !leave) {
      done.run();
      return;
    }
    context
        .threads()
        .<Boolean>call(
            "leaving",
            timing.renewTimeout(),
            () -> {
              registry.leave(last.id);
              return true;
            },
            result -> done.run());
  }

  private void join(@Nullable Consumer<Result<Boolean>> first) {
    LocalLease.Sent sent = LocalLease.Sent.now(time);
    MemberInfo info = self.get();
    Set<MemberId> before = Set.copyOf(former);
    context
        .threads()
        .<Boolean>call(
            "joining",
            timing.renewTimeout(),
            () -> registry.join(info, alone, before),
            result -> {
              if (!result.isValue() && result.failure() instanceof JoinPendingException pending) {
                await(pending, first);
                return;
              }
              joined(sent, info, result);
              if (first != null) {
                first.accept(result);
              }
            });
  }

  private void joined(LocalLease.Sent sent, MemberInfo info, Result<Boolean> result) {
    if (closed) {
      return;
    }
    if (result.isValue() && result.value()) {
      retry.succeeded();
      former.clear();
      Held joined = new Held(info.id(), new LocalLease(timing, time, sent));
      held = joined;
      live = List.of(info);
      log.info("joined replica={} name={}", info.id(), context.replicaName());
      owner.joined();
      sendHeartbeat(joined);
    } else if (result.isValue()) {
      // An answer was lost, and the id was silent for so long that it is gone by now.
      giveUp(info.id());
      context.threads().schedule(retry.failed(), this::rejoin);
    } else if (result.failure() instanceof JoinRefusedException refusal) {
      owner.refused(refusal);
    } else {
      Duration wait = retry.failed();
      if (retry.failures() == 1) {
        log.warn(
            "joining got no answer, nothing runs until it does replica={} cause={}",
            context.replicaName(),
            StoreFailures.describe(result.failure()),
            StoreFailures.trace(result.failure()));
      }
      context.threads().schedule(wait, () -> rejoin());
    }
  }

  /** Tries again until the replica in the way has proven that it lives, or is gone. */
  private void await(JoinPendingException pending, @Nullable Consumer<Result<Boolean>> first) {
    if (closed) {
      if (first != null) {
        first.accept(Result.failed(pending));
      }
      return;
    }
    if (retry.failures() == 0) {
      log.warn("cannot join yet, trying again: {}", pending.getMessage());
    }
    retry.failed();
    context
        .threads()
        .schedule(
            timing.renewInterval(),
            () -> {
              if (closed) {
                await(pending, first);
              } else {
                join(first);
              }
            });
  }

  private void rejoin() {
    if (!closed) {
      join(null);
    }
  }

  /** Beats for that lease only: what was planned for one that was lost must not go on as well. */
  private void sendHeartbeat(Held current) {
    if (closed || !current.equals(held)) {
      return;
    }
    LocalLease.Sent sent = LocalLease.Sent.now(time);
    context
        .threads()
        .call(
            "heartbeat",
            timing.renewTimeout(),
            () -> registry.heartbeat(current.id),
            result -> answered(current, sent, result));
  }

  private void answered(
      Held current, LocalLease.Sent sent, Result<Optional<List<MemberInfo>>> result) {
    if (closed || !current.equals(held)) {
      return;
    }
    if (!result.isValue()) {
      if (retry.failures() == 0) {
        log.warn(
            "heartbeat got no answer replica={} validFor={} cause={}",
            context.replicaName(),
            current.lease.validFor(),
            StoreFailures.describe(result.failure()),
            StoreFailures.trace(result.failure()));
      }
      context.threads().schedule(retry.failed(), () -> sendHeartbeat(current));
      watch();
      return;
    }
    retry.succeeded();
    Optional<List<MemberInfo>> members = result.value();
    if (members.isEmpty()) {
      lost(LossCause.NOT_OURS);
    } else if (current.lease.renewed(sent)) {
      live = members.get();
      owner.heartbeatRecorded();
      Duration elapsed = Duration.ofNanos(time.nanos() - sent.nanos());
      Duration wait = interval().minus(elapsed);
      context
          .threads()
          .schedule(wait.isNegative() ? Duration.ZERO : wait, () -> sendHeartbeat(current));
    } else {
      watch();
    }
  }

  /** Whoever is alone has nobody to notice, and need only prove that it lives. */
  private Duration interval() {
    Duration usual = timing.renewInterval();
    Duration longest = timing.trusted().minus(timing.renewTimeout().multipliedBy(2));
    Duration alone = usual.multipliedBy(3).dividedBy(2);
    return live.size() > 1 || alone.compareTo(longest) > 0 ? usual : alone;
  }

  private void lost(LossCause cause) {
    Held current = held;
    if (current != null) {
      // A claim on its way was made on it, and must not start a body any more.
      current.lease.end(cause);
      giveUp(current.id);
    }
    held = null;
    live = List.of();
    log.warn("membership lost, joining again replica={} cause={}", context.replicaName(), cause);
    owner.membershipLost(cause);
    context.threads().schedule(retry.failed(), this::rejoin);
  }

  private void giveUp(MemberId id) {
    former.add(id);
    context.identity().renew();
  }
}
