package dev.monotick.engine.tick;

import dev.monotick.schedule.internal.StableHash;
import dev.monotick.spi.replica.MemberId;
import dev.monotick.spi.replica.MemberInfo;
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
  static int rank(MemberId self, List<MemberInfo> live, String task, Instant nominal) {
    long tick = StableHash.of(task, nominal.toEpochMilli());
    long own = score(self, tick);
    int rank = 0;
    for (MemberInfo other : live) {
      if (!other.id().equals(self) && other.tasks().contains(task)) {
        int order = Long.compareUnsigned(score(other.id(), tick), own);
        if (order > 0 || (order == 0 && other.id().compareTo(self) > 0)) {
          rank++;
        }
      }
    }
    return rank;
  }

  private static long score(MemberId replica, long tick) {
    long bits =
        replica.value().getMostSignificantBits() ^ replica.value().getLeastSignificantBits();
    return StableHash.mix(bits + tick * 0x9e3779b97f4a7c15L);
  }
}
