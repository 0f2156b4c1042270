package dev.monotick.memory;

import dev.monotick.error.JoinRefusedException;
import dev.monotick.spi.replica.JoinPendingException;
import dev.monotick.spi.replica.LeaseTiming;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
import dev.monotick.spi.replica.MemberRegistry;
import dev.monotick.spi.time.Ticker;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The registry of an {@link InMemoryStore}. Leases run on the store's ticker, so a wall clock that
 * jumps costs nobody its membership. Replicas of one process may have the same name here: it cannot
 * tell one that crashed from one that lives, as a database sees by its connections.
 *
 * <p>The lock of this object guards both collections. It is taken inside a task's lock by {@link
 * #isGone}, and nothing else is locked inside it.
 */
final class InMemoryRegistry implements MemberRegistry {

  private record Member(MemberInfo info, boolean alone, long lastHeartbeat) {}

  private final LeaseTiming timing;
  private final Ticker ticker;
  private final Map<MemberId, Member> members = new LinkedHashMap<>();

  /**
   * Those that were members once. Kept for good, because a claim may outlive the membership of its
   * replica by any time: a few bytes for each membership.
   */
  private final Map<MemberId, Former> former = new HashMap<>();

  /**
   * One that is gone.
   *
   * @param name what people called it: what it still does is recorded under that
   * @param rejoined when its process joined again, by the ticker; empty if it did not
   */
  private record Former(String name, OptionalLong rejoined) {}

  InMemoryRegistry(LeaseTiming timing, Ticker ticker) {
    this.timing = timing;
    this.ticker = ticker;
  }

  @Override
  public LeaseTiming timing() {
    return timing;
  }

  @Override
  public synchronized boolean join(MemberInfo replica, boolean alone, Set<MemberId> earlier) {
    dropSilent();
    if (former.containsKey(replica.id())) {
      return false;
    }
    for (Member other : members.values()) {
      MemberId id = other.info().id();
      if (id.equals(replica.id()) || earlier.contains(id)) {
        continue; // it joins again: the answer to the first time may have been lost
      }
      if (alone || other.alone()) {
        throw isSilent(other) ? wait(replica, other) : refusal(replica, other, alone);
      }
    }
    for (MemberId id : earlier) {
      if (!hasRejoined(id)) {
        String name = name(id);
        members.remove(id);
        former.put(id, new Former(name, OptionalLong.of(ticker.read())));
      }
    }
    members.put(replica.id(), new Member(replica, alone, ticker.read()));
    return true;
  }

  @Override
  public synchronized Optional<List<MemberInfo>> heartbeat(MemberId replica) {
    dropSilent();
    Member member = members.get(replica);
    if (member == null) {
      return Optional.empty();
    }
    members.put(replica, new Member(member.info(), member.alone(), ticker.read()));
    return Optional.of(infos());
  }

  @Override
  public synchronized void update(MemberInfo replica) {
    dropSilent();
    members.computeIfPresent(
        replica.id(), (id, member) -> new Member(replica, member.alone(), member.lastHeartbeat()));
  }

  @Override
  public synchronized void leave(MemberId replica) {
    Member member = members.remove(replica);
    if (member != null) {
      former.put(replica, new Former(member.info().name(), OptionalLong.empty()));
    }
  }

  @Override
  public synchronized List<MemberInfo> live() {
    dropSilent();
    return infos();
  }

  /**
   * Returns whether the replica was a member and is one no more, and its claims may be taken: it
   * was silent too long, or left, or its process joined again long enough ago. One that never
   * joined is not gone; nothing is known of it.
   */
  synchronized boolean isGone(MemberId replica) {
    dropSilent();
    return former.containsKey(replica) && !isInGrace(replica);
  }

  /**
   * Returns whether the replica is a member: it joined, and was neither silent too long nor left.
   */
  synchronized boolean isAlive(MemberId replica) {
    dropSilent();
    return members.containsKey(replica);
  }

  /** Returns whether the process of a replica that is gone joined again since. */
  synchronized boolean hasRejoined(MemberId replica) {
    return rejoined(replica).isPresent();
  }

  private OptionalLong rejoined(MemberId replica) {
    Former gone = former.get(replica);
    return gone == null ? OptionalLong.empty() : gone.rejoined();
  }

  /** Returns whether what the replica claimed is still left to it. */
  synchronized boolean keepsClaims(MemberId replica) {
    return isAlive(replica) || isInGrace(replica);
  }

  private boolean isInGrace(MemberId replica) {
    OptionalLong at = rejoined(replica);
    return at.isPresent() && ticker.read() - at.getAsLong() < REJOIN_GRACE.toNanos();
  }

  /** Returns the name of a replica that is or was a member, the id of any other. */
  synchronized String name(MemberId replica) {
    Member member = members.get(replica);
    if (member != null) {
      return member.info().name();
    }
    Former gone = former.get(replica);
    return gone == null ? replica.toString() : gone.name();
  }

  private void dropSilent() {
    long now = ticker.read();
    long lease = timing.leaseDuration().toNanos();
    members
        .entrySet()
        .removeIf(
            entry -> {
              boolean silent = now - entry.getValue().lastHeartbeat() >= lease;
              if (silent) {
                String name = entry.getValue().info().name();
                former.put(entry.getKey(), new Former(name, OptionalLong.empty()));
              }
              return silent;
            });
  }

  private List<MemberInfo> infos() {
    return members.values().stream().map(Member::info).toList();
  }

  /** Returns whether a member has missed a beat, so that it may be dead. */
  private boolean isSilent(Member member) {
    return ticker.read() - member.lastHeartbeat() >= 2 * timing.renewInterval().toNanos();
  }

  private JoinPendingException wait(MemberInfo replica, Member other) {
    return new JoinPendingException(
        "replica "
            + replica.name()
            + " ("
            + replica.id()
            + ") waits until the lease of "
            + other.info().name()
            + " ("
            + other.info().id()
            + "), which is silent, is over");
  }

  private JoinRefusedException refusal(MemberInfo replica, Member other, boolean alone) {
    String who = other.info().name() + " (" + other.info().id() + ")";
    String why =
        alone
            ? " must be alone, but " + who + " is alive"
            : " cannot join, because " + who + " must be alone";
    return new JoinRefusedException(
        "replica "
            + replica.name()
            + " ("
            + replica.id()
            + ")"
            + why
            + "; stop that replica (if it died, wait "
            + timing.leaseDuration()
            + "), or switch leader election on for both");
  }
}
