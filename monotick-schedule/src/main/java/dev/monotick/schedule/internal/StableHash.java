package dev.monotick.schedule.internal;

/**
 * Hashes that are the same on every replica, machine and JDK, for ever: jitter, {@code H} in cron
 * and the spread of ticks over replicas follow from them, and replicas of different versions must
 * agree.
 */
public final class StableHash {

  private StableHash() {}

  /** Returns a hash of a text and a number: FNV-1a, then a finalizer so that all bits count. */
  public static long of(String text, long salt) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return mix(hash ^ (salt * 0x9e3779b97f4a7c15L));
  }

  /** Spreads the bits of a number: neighbours become strangers. */
  public static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
