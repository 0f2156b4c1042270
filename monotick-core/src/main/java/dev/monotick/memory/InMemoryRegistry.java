package dev.monotick.memory;

import dev.monotick.leader.LeaseTiming;
import dev.monotick.replica.JoinRefusedException;
import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import dev.monotick.replica.ReplicaRegistry;
import dev.monotick.time.Ticker;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The registry of an {@link InMemoryStore}. Leases run on the store's ticker, so a wall clock that
 * jumps costs nobody its membership.
 *
 * <p>The lock of this object guards both collections. It is taken inside a task's lock by {@link
 * #isGone}, and nothing else is locked inside it.
 */
final class InMemoryRegistry implements ReplicaRegistry {

  private record Member(ReplicaInfo info, boolean alone, long lastHeard) {}

  private final LeaseTiming timing;
  private final Ticker ticker;
  private final Map<ReplicaId, Member> members = new LinkedHashMap<>();

  /**
   * Those that were members once. Kept for good, because a claim may outlive the membership of its
   * replica by any time: a few bytes for each start of an engine in this JVM. With their names,
   * because what they still do is recorded under these.
   */
  private final Map<ReplicaId, String> former = new HashMap<>();

  InMemoryRegistry(LeaseTiming timing, Ticker ticker) {
    this.timing = timing;
    this.ticker = ticker;
  }

  @Override
  public LeaseTiming timing() {
    return timing;
  }

  @Override
  public synchronized void join(ReplicaInfo replica, boolean alone) {
    dropSilent();
    for (Member other : members.values()) {
      if (other.info().id().equals(replica.id())) {
        continue; // it joins again: the answer to the first time may have been lost
      }
      if (alone || other.alone()) {
        throw refusal(replica, other, alone);
      }
    }
    former.remove(replica.id());
    members.put(replica.id(), new Member(replica, alone, ticker.read()));
  }

  @Override
  public synchronized Optional<List<ReplicaInfo>> beat(ReplicaId replica) {
    dropSilent();
    Member member = members.get(replica);
    if (member == null) {
      return Optional.empty();
    }
    members.put(replica, new Member(member.info(), member.alone(), ticker.read()));
    return Optional.of(infos());
  }

  @Override
  public synchronized void update(ReplicaInfo replica) {
    dropSilent();
    members.computeIfPresent(
        replica.id(), (id, member) -> new Member(replica, member.alone(), member.lastHeard()));
  }

  @Override
  public synchronized void leave(ReplicaId replica) {
    Member member = members.remove(replica);
    if (member != null) {
      former.put(replica, member.info().name());
    }
  }

  @Override
  public synchronized List<ReplicaInfo> live() {
    dropSilent();
    return infos();
  }

  /**
   * Says whether the replica was a member and is one no more: silent too long, or left. One that
   * never joined is not gone; nothing is known of it.
   */
  synchronized boolean isGone(ReplicaId replica) {
    dropSilent();
    return former.containsKey(replica);
  }

  /** Says whether the replica is a member: it joined, and was neither silent too long nor left. */
  synchronized boolean isAlive(ReplicaId replica) {
    dropSilent();
    return members.containsKey(replica);
  }

  /** Returns the name of a replica that is or was a member, the id of any other. */
  synchronized String name(ReplicaId replica) {
    Member member = members.get(replica);
    return member == null ? former.getOrDefault(replica, replica.toString()) : member.info().name();
  }

  private void dropSilent() {
    long now = ticker.read();
    long lease = timing.leaseDuration().toNanos();
    members
        .entrySet()
        .removeIf(
            entry -> {
              boolean silent = now - entry.getValue().lastHeard() >= lease;
              if (silent) {
                former.put(entry.getKey(), entry.getValue().info().name());
              }
              return silent;
            });
  }

  private List<ReplicaInfo> infos() {
    return members.values().stream().map(Member::info).toList();
  }

  private JoinRefusedException refusal(ReplicaInfo replica, Member other, boolean alone) {
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
