package dev.monotick.engine;

import dev.monotick.replica.ReplicaId;
import dev.monotick.replica.ReplicaInfo;
import java.time.Instant;
import java.util.List;

/**
 * Spreads ticks over replicas: each replica gives every tick a score, and the highest one goes
 * first. All compute the same scores, a replica that leaves moves only its own ticks, and the load
 * is even.
 */
final class Rendezvous {

  private Rendezvous() {}

  /** Returns how many of the live replicas that know the task come before this one. */
  static int rank(ReplicaId self, List<ReplicaInfo> live, String task, Instant nominal) {
    long tick = hash(task, nominal.toEpochMilli());
    long own = score(self, tick);
    int rank = 0;
    for (ReplicaInfo other : live) {
      if (!other.id().equals(self) && other.tasks().contains(task)) {
        int order = Long.compareUnsigned(score(other.id(), tick), own);
        if (order > 0 || (order == 0 && other.id().compareTo(self) > 0)) {
          rank++;
        }
      }
    }
    return rank;
  }

  private static long score(ReplicaId replica, long tick) {
    long bits =
        replica.value().getMostSignificantBits() ^ replica.value().getLeastSignificantBits();
    return mix(bits + tick * 0x9e3779b97f4a7c15L);
  }

  /** A hash that is the same on every replica and JDK. */
  static long hash(String text, long salt) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return mix(hash ^ (salt * 0x9e3779b97f4a7c15L));
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
